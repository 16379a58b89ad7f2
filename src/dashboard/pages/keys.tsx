import { useState } from 'preact/hooks';
import type { Answers } from '../api/answers.ts';
import { ask, BASE } from '../api/request.ts';
import { Copyable } from '../parts/copy.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { TextForm } from '../parts/form.tsx';
import { Card, PageHead, Row } from '../parts/layout.tsx';
import { List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { texts } from '../texts.ts';
import { AgentPing } from './keys/agent-ping.tsx';
import { NewKey } from './keys/new-key.tsx';
import { t } from './keys.texts.ts';

const KINDS = {
  agent: { list: 'GET /api/api-keys', create: 'POST /api/api-keys', revoke: 'DELETE /api/api-keys/{key_id}' },
  settings: {
    list: 'GET /api/settings-keys',
    create: 'POST /api/settings-keys',
    revoke: 'DELETE /api/settings-keys/{key_id}',
  },
} as const;

export function KeysPage() {
  return (
    <>
      <PageHead title={texts.pages.keys} />
      <div class="columns">
        <div>
          <Keys kind="agent" />
          <Keys kind="settings" />
        </div>
        <div>
          <AgentPing />
          <Clients />
        </div>
      </div>
    </>
  );
}

function Keys({ kind }: { readonly kind: keyof typeof KINDS }) {
  const endpoints = KINDS[kind];
  const [created, setCreated] = useState<Answers['POST /api/api-keys']>();
  const create = async (name: string): Promise<void> => {
    setCreated(await ask(endpoints.create, { body: { name } }));
  };
  return (
    <Card title={t.titles[kind]} hint={t.purposes[kind]}>
      <List from={endpoints.list} of={({ keys }) => keys} idOf={({ id }) => id} none={t.none}>
        {({ id, name, key_prefix: prefix, last_used_at: at }) => (
          <Credential
            name={name}
            detail={`${prefix}…`}
            usedAt={at}
            question={t.revokeQuestion(name)}
            revoke={() => ask(endpoints.revoke, { params: { key_id: id } })}
          />
        )}
      </List>
      <TextForm action={t.create} label={t.name} send={create} maxLength={80} />
      {created && (
        <Dialog title={t.created} onClose={() => setCreated(undefined)}>
          <NewKey value={created.key} isAgent={kind === 'agent'} />
        </Dialog>
      )}
    </Card>
  );
}

/** The MCP clients that were allowed to act for the account. */
function Clients() {
  return (
    <Card title={t.clients} hint={t.clientsHint}>
      <Copyable text={new URL('mcp/', BASE).href} label={t.url} />
      <List
        from="GET /api/mcp-authorizations"
        of={({ authorizations }) => authorizations}
        idOf={(each) => each.client_id}
        none={t.noClients}
      >
        {({ client_id, client_name: name, platforms, last_used_at: at }) => (
          <Credential
            name={name}
            detail={platforms.map((platform) => texts.platforms[platform]).join(', ')}
            usedAt={at}
            question={t.cutOff(name)}
            revoke={() => ask('DELETE /api/mcp-authorizations/{client_id}', { params: { client_id } })}
          />
        )}
      </List>
    </Card>
  );
}

interface CredentialProps {
  readonly name: string;
  readonly detail: string;
  /** Null: never. */
  readonly usedAt: string | null;
  readonly question: string;
  revoke(): Promise<unknown>;
}

function Credential({ name, detail, usedAt, question, revoke }: CredentialProps) {
  const note = (
    <>
      {`${detail} · ${usedAt === null ? t.unused : t.used} `}
      {usedAt !== null && <Moment iso={usedAt} />}
    </>
  );
  return (
    <Row title={name} note={note}>
      <Confirm class="quietly" action={t.revoke} question={question} run={revoke} />
    </Row>
  );
}
