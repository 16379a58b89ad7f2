import { useState } from 'preact/hooks';
import type { Answers } from '../api/answers.ts';
import { ask, BASE } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Confirm, Dialog } from '../parts/action.tsx';
import { Copyable } from '../parts/copy.tsx';
import { TextForm } from '../parts/form.tsx';
import { Card, LoadedRows, PageHead, Row } from '../parts/layout.tsx';
import { Moment } from '../parts/moment.tsx';
import { texts } from '../texts.ts';
import { AgentPing } from './keys/agent-ping.tsx';
import { NewKey } from './keys/new-key.tsx';

const { keys: t, clients: c } = texts;

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
      <PageHead title={texts.nav.keys} />
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
  const keys = useAnswer(endpoints.list);
  const [created, setCreated] = useState<Answers['POST /api/api-keys']>();
  const create = async (name: string): Promise<void> => {
    setCreated(await ask(endpoints.create, { body: { name } }));
  };
  return (
    <Card title={t.titles[kind]} hint={t.purposes[kind]}>
      <LoadedRows answer={keys} of={(data) => data.keys} none={t.none}>
        {({ id, name: known, key_prefix: prefix, last_used_at: at }) => (
          <Row key={id} title={known} note={<LastUse of={`${prefix}…`} at={at} />}>
            <Confirm
              class="quietly"
              action={t.revoke}
              question={t.revokeQuestion(known)}
              run={() => ask(endpoints.revoke, { params: { key_id: id } })}
            />
          </Row>
        )}
      </LoadedRows>
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
  const clients = useAnswer('GET /api/mcp-authorizations');
  return (
    <Card title={c.title} hint={c.explanation}>
      <Copyable text={new URL('mcp/', BASE).href} label={c.url} />
      <LoadedRows answer={clients} of={(data) => data.authorizations} none={c.none}>
        {({ client_id: id, client_name: name, platforms, last_used_at: at }) => (
          <Row
            key={id}
            title={name}
            note={<LastUse of={platforms.map((platform) => texts.platforms[platform]).join(', ')} at={at} />}
          >
            <Confirm
              class="quietly"
              action={t.revoke}
              question={c.revokeQuestion(name)}
              run={() => ask('DELETE /api/mcp-authorizations/{client_id}', { params: { client_id: id } })}
            />
          </Row>
        )}
      </LoadedRows>
    </Card>
  );
}

/** When a credential was used; null: never. */
function LastUse({ of, at }: { readonly of: string; readonly at: string | null }) {
  if (at === null) return <>{`${of} · ${t.unused}`}</>;
  return (
    <>
      {of} · {t.used} <Moment iso={at} />
    </>
  );
}
