import { setTimeout as pause } from 'node:timers/promises';
import { audioSdp } from '../../sip-text.ts';
import { activeCall } from '../active-call.ts';
import { againAndAgain } from '../again-and-again.ts';
import { type Attack, PROVIDER_HOST, type Target } from '../attack.ts';
import { Browser } from '../browser.ts';
import { flood } from '../flood.ts';
import { agentsAt, askAll, ForeignEndpoint, pouring } from '../foreign-endpoint.ts';
import { addressOf, leave, newTenant, PASSWORD, type Tenant } from '../member.ts';
import { openMany } from '../raw-connection.ts';
import { OPCODE, openSockets, shortFrame } from '../raw-socket.ts';
import { ScriptedProvider } from '../scripted-provider.ts';

const NUMBER = 22;
const LASTS_MS = 60_000;
const LONG = 'x'.repeat(10_000);
const LONG_TEXT = 'Nobody else may say a word while this sentence is spoken again and again. '.repeat(4);
const EVENT = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'word ' } }] })}\n\n`;
const STREAM_BYTES = 8 * 1_048_576;
const FLOOD_BYTES = 1_048_576;
const DEAF_PORT = 40_000;
/** An INVITE more every so often: a phone cannot be rung faster than its provider sends. */
const INVITE_MS = 50;

/** What the account has for its doors. */
interface Greedy {
  readonly target: Target;
  readonly tenant: Tenant;
  readonly provider: ScriptedProvider;
  readonly callId: string;
  /** Somebody else's, so that the account itself is not locked. */
  readonly stranger: Browser;
  readonly agents: readonly string[];
}

/** Something that is done again and again, as fast as it is answered. */
interface Door {
  readonly name: string;
  /** So many at once. */
  readonly atOnce: number;
  take(greedy: Greedy, n: number): Promise<unknown>;
}

const MCP_CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'svc_call_list', arguments: {} },
} as const;

const DOORS: readonly Door[] = [
  {
    name: 'requests that read',
    atOnce: 16,
    take: ({ tenant }) => tenant.agentApi.get('/api/usage'),
  },
  {
    name: 'the shortest requests with a key',
    atOnce: 1,
    take: async ({ target, tenant }) => {
      const request = `GET /api/calls HTTP/1.1\r\nHost: a\r\nX-API-Key: ${tenant.agentKey}\r\n\r\n`;
      const connections = await openMany(target.httpPort, 4);
      await flood(connections, Buffer.from(request), FLOOD_BYTES);
      for (const each of connections) each.destroy();
    },
  },
  {
    name: 'messages that are stored',
    atOnce: 4,
    take: ({ tenant }) =>
      tenant.agentApi.post('/api/dm/chat', { platform: 'agent', peer: 'Agent 1', text: LONG }),
  },
  { name: 'MCP', atOnce: 4, take: ({ tenant }) => tenant.agentApi.post('/mcp', MCP_CALL) },
  {
    name: 'WebSockets of the inbox',
    atOnce: 1,
    take: async ({ target, tenant }, n) => {
      const path = `/api/inbox/stream?api_key=${tenant.agentKey}`;
      await floodSockets(await openSockets(target.httpPort, path, 4), n);
    },
  },
  {
    name: 'WebSockets of a call',
    atOnce: 1,
    take: async ({ target, tenant, callId }, n) => {
      const path = `/api/call/${callId}/stream?api_key=${tenant.agentKey}`;
      await floodSockets(await openSockets(target.httpPort, path, 4), n);
    },
  },
  { name: 'models that stream', atOnce: 1, take: ({ tenant, agents }) => askAll(tenant, agents) },
  {
    name: 'calls that are placed',
    atOnce: 2,
    take: async ({ tenant, provider }) => {
      const meeting_url = `sip:+4930123@${PROVIDER_HOST}:${provider.port}`;
      const { body } = await tenant.agentApi.post('/api/call', { platform: 'sip', meeting_url });
      if (body.call_id) await tenant.agentApi.delete(`/api/call/${body.call_id}`);
    },
  },
  {
    name: 'calls that ring',
    atOnce: 1,
    take: async ({ provider }) => {
      void provider.call('+4930555221', '+4930555221', DEAF_PORT, 1_000);
      await pause(INVITE_MS);
    },
  },
  {
    name: 'speech',
    atOnce: 2,
    take: ({ tenant, callId }) => tenant.agentApi.post(`/api/call/${callId}/say`, { text: LONG_TEXT }),
  },
  {
    name: 'files',
    atOnce: 2,
    take: ({ tenant }) =>
      tenant.agentApi.post('/api/files', {
        name: 'a.bin',
        mime: 'application/octet-stream',
        bytes_b64: Buffer.alloc(500_000).toString('base64'),
      }),
  },
  {
    name: 'passwords',
    atOnce: 2,
    take: ({ stranger }) => stranger.post('/auth/login', { email: 'nobody@example.com', password: PASSWORD }),
  },
  {
    name: 'bodies that are refused',
    atOnce: 2,
    take: ({ tenant }) => tenant.agentApi.post('/api/call', { platform: LONG, meeting_url: [LONG] }),
  },
  {
    name: 'agents that come and go',
    atOnce: 1,
    take: async ({ tenant }) => {
      const { body } = await tenant.settingsApi.post('/api/agents', { name: 'Another' });
      if (body.id) await tenant.settingsApi.delete(`/api/agents/${body.id}`);
    },
  },
];

const FRAMES: readonly Buffer[] = [
  shortFrame(OPCODE.pong),
  shortFrame(OPCODE.binary, 'x'),
  shortFrame(OPCODE.text, '{}'),
  shortFrame(OPCODE.text, '{"type":"audio_config"}'),
];

/** One account that wants as much as it can get of everything at the same time. Best with `--together`. */
export const greedyAccount: Attack = {
  number: NUMBER,
  name: 'one account, greedy in everything at once',
  async run(target, notes, mails) {
    const tenant = await newTenant(target, mails, NUMBER, 1);
    const provider = await ScriptedProvider.open(target.sipPort);
    provider.answer = () => ({ status: '200 OK', sdp: audioSdp(PROVIDER_HOST, DEAF_PORT) });
    const endpoint = await ForeignEndpoint.open(pouring('text/event-stream', EVENT, STREAM_BYTES));
    await tenant.settingsApi.post('/api/voice-configs', { provider: 'local', kind: 'tts' });
    const agents = await agentsAt(tenant, endpoint.url, 20);
    const callId = await activeCall(tenant, provider.port);
    const stranger = new Browser(target.httpPort, addressOf(target, NUMBER, 2));
    const greedy = { target, tenant, provider, callId, stranger, agents };
    const endMs = performance.now() + LASTS_MS;
    const counts = await Promise.all(
      DOORS.map((door) => againAndAgain(door.atOnce, endMs, (n) => door.take(greedy, n))),
    );
    for (const [index, { name }] of DOORS.entries()) notes.see(`${name}: ${counts[index]}`);
    provider.close();
    endpoint.close();
    await leave(tenant);
  },
};

async function floodSockets(sockets: Awaited<ReturnType<typeof openSockets>>, n: number): Promise<void> {
  await flood(sockets, FRAMES[n % FRAMES.length]!, FLOOD_BYTES);
  for (const each of sockets) each.destroy();
  // Refused: the account has to wait before it may open another.
  if (sockets.length === 0) await pause(1);
}
