import { useEffect, useState } from 'preact/hooks';
import type { Answers } from '../api/answers.ts';
import { ask, BASE } from '../api/request.ts';
import { Action, attempt, Confirm, Dialog } from '../parts/button.tsx';
import { Copyable } from '../parts/copy.tsx';
import { Input, TextForm } from '../parts/form.tsx';
import { Card, PageHead } from '../parts/layout.tsx';
import { List, Row } from '../parts/list.tsx';
import { Moment, State } from '../parts/value.tsx';
import { texts } from '../texts.ts';
import { t } from './keys.texts.ts';

const MCP_URL = new URL('mcp/', BASE).href;

export function KeysPage() {
  return (
    <>
      <PageHead title={texts.pages.keys} />
      <div class="columns">
        <div>
          <Keys kind="agent" path="/api/api-keys" />
          <Keys kind="settings" path="/api/settings-keys" />
        </div>
        <div>
          <AgentPing />
          <Clients />
        </div>
      </div>
    </>
  );
}

interface KeysProps {
  readonly kind: keyof typeof t.titles;
  readonly path: '/api/api-keys' | '/api/settings-keys';
}

function Keys({ kind, path }: KeysProps) {
  const [created, setCreated] = useState<string>();
  const create = async (name: string): Promise<void> => setCreated((await ask(`POST ${path}`, { name })).key);
  return (
    <Card title={t.titles[kind]} hint={t.purposes[kind]}>
      <List from={`GET ${path}`} of={({ keys }) => keys} by="id">
        {({ id: key_id, name, key_prefix: prefix, last_used_at: at }) => (
          <Credential
            name={name}
            detail={`${prefix}…`}
            usedAt={at}
            question={t.revokeQuestion(name)}
            revoke={() => ask(`DELETE ${path}/{key_id}`, { key_id })}
          />
        )}
      </List>
      <TextForm action={t.create} label={t.name} send={create} maxLength={80} />
      {created && (
        <Dialog title={t.created} onClose={() => setCreated(undefined)}>
          <p>{t.once}</p>
          <Copyable text={created} label={t.created} />
          {kind === 'agent' && <Samples of={created} />}
        </Dialog>
      )}
    </Card>
  );
}

/** What to do with a new key. */
function Samples({ of: key }: { readonly of: string }) {
  const [chosen, choose] = useState<string>('mcp');
  const sample = chosen as keyof typeof SAMPLES;
  return (
    <>
      <Input label={t.useIn} onValue={choose} options={t.samples} />
      <Copyable text={SAMPLES[sample](key)} label={t.samples[sample]} />
    </>
  );
}

const SAMPLES: Readonly<Record<keyof typeof t.samples, (key: string) => string>> = {
  mcp: (key) => client({ type: 'http', url: MCP_URL, headers: { Authorization: `Bearer ${key}` } }),
  claudeCode: (key) =>
    `claude mcp add --transport http voice ${MCP_URL} --header "Authorization: Bearer ${key}"`,
  stdio: (key) => {
    const args = ['-y', 'mcp-remote', MCP_URL, '--header', `Authorization: Bearer ${key}`];
    return client({ command: 'npx', args });
  },
  curl: (key) =>
    `curl -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' \\\n  -d '{"platform":"sip","meeting_url":"+33123456789"}' ${new URL('api/call', BASE).href}`,
  javascript: (key) =>
    `const answer = await fetch('${new URL('api/calls', BASE).href}', {\n  headers: { 'X-API-Key': '${key}' },\n});\nconsole.log(await answer.json());`,
};

/** The configuration of an MCP client, as most of them read it. */
function client(server: object): string {
  return JSON.stringify({ mcpServers: { voice: server } }, null, 2);
}

/** The MCP clients that were allowed to act for the account. */
function Clients() {
  return (
    <Card title={t.clients} hint={t.clientsHint}>
      <Copyable text={MCP_URL} label={t.url} />
      <List from="GET /api/mcp-authorizations" of={({ authorizations }) => authorizations} by="client_id">
        {({ client_id, client_name: name, platforms, last_used_at: at }) => (
          <Credential
            name={name}
            detail={platforms.map((platform) => texts.platforms[platform]).join(', ')}
            usedAt={at}
            question={t.cutOff(name)}
            revoke={() => ask('DELETE /api/mcp-authorizations/{client_id}', { client_id })}
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
  const used = usedAt === null ? t.unused : [t.used, ' ', <Moment key={usedAt} iso={usedAt} />];
  return (
    <Row title={name} note={[`${detail} · `, used]}>
      <Confirm action={t.revoke} question={question} run={revoke} />
    </Row>
  );
}

type Probe = Answers['GET /api/keys/test-agent/status'];

const POLL_MS = 1_000;

/** Asks every agent to answer, and says for each key whether it did. */
function AgentPing() {
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
          const advice = verdict && t.advice[verdict];
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
