import { useEffect, useState } from 'preact/hooks';
import type { Answers } from '../api/answers.ts';
import { ask, BASE } from '../api/request.ts';
import { Action, attempt } from '../parts/action.tsx';
import { Copyable } from '../parts/copy.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { TextForm } from '../parts/form.tsx';
import { Card, PageHead, Row } from '../parts/layout.tsx';
import { List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { State } from '../parts/state.tsx';
import { texts } from '../texts.ts';
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
      <List from={endpoints.list} of={({ keys }) => keys} by="id">
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
      <List from="GET /api/mcp-authorizations" of={({ authorizations }) => authorizations} by="client_id">
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

type Probe = Answers['GET /api/keys/test-agent/status'];

const POLL_MS = 1_000;

/** Asks every agent to answer, and says for each key whether it did. */
export function AgentPing() {
  const [probe, setProbe] = useState<Probe>();
  const isRunning = probe !== undefined && !probe.done;
  useEffect(() => {
    if (!isRunning) return undefined;
    const poll = () => void attempt(async () => setProbe(await ask('GET /api/keys/test-agent/status')));
    const timer = setInterval(poll, POLL_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  const start = async (): Promise<void> => setProbe(await ask('POST /api/keys/test-agent/start'));
  const button = (
    <Action class="primary" disabled={isRunning} run={start} name={isRunning ? t.running : t.start} />
  );
  return (
    <Card title={t.ping} hint={t.pingHint} action={button}>
      <ul class="rows" aria-live="polite">
        {probe?.keys.map(({ id, name, key_prefix: prefix, verdict }) => {
          const advice = verdict !== null && verdict !== 'replied' && t.advice[verdict];
          const below = advice && <p class="quiet small">{advice}</p>;
          return (
            <Row key={id} title={name} note={`${prefix}…`} below={below}>
              <State of={verdict ?? 'waiting'} />
            </Row>
          );
        })}
      </ul>
    </Card>
  );
}
