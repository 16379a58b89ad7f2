import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../../quantiles.ts';
import { type Attack, PROVIDER_HOST, type Target } from '../attack.ts';
import {
  agentsAt,
  askAll,
  dripping,
  ForeignEndpoint,
  packed,
  pointAt,
  pouring,
} from '../foreign-endpoint.ts';
import { MainCpu } from '../gateway-watch.ts';
import { leave, newTenant, type Tenant } from '../member.ts';
import type { Notes } from '../notes.ts';

const NUMBER = 19;
const AGENTS = 50;
const STREAM_BYTES = 8 * 1_048_576;
const LASTS_MS = 5_000;
/** One account's share: a fifth while others are idle, and what its turns and requests take besides. */
const MAX_CPU_SHARE = 0.45;
const MAX_P99_MS = 50;
const SILENT_ACCOUNTS = 6;
const SILENT_AGENTS = 10;
const MAX_BEGIN_MS = 1_000;
const NOBODYS_URL = `http://${PROVIDER_HOST}:9/v1/chat/completions`;
const EVENTS = 'text/event-stream';

const TEXT = `data: ${JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'model-1',
  choices: [{ index: 0, delta: { content: 'word ' }, finish_reason: null }],
})}\n\n`;

/** What an endpoint answers fifty turns with. */
const DOORS: readonly (readonly [string, Parameters<typeof ForeignEndpoint.open>[0]])[] = [
  ['8 MiB of words', pouring(EVENTS, TEXT, STREAM_BYTES)],
  ['8 MiB of the shortest events', pouring(EVENTS, 'data:1\n\n', STREAM_BYTES)],
  ['8 MiB of lists of nothing', pouring(EVENTS, `data: [${'[],'.repeat(14_000)}0]\n\n`, STREAM_BYTES)],
  ['8 MiB of chunks of one byte', dripping(EVENTS, ': ping\n', STREAM_BYTES)],
  ['64 MiB of words, packed', packed(EVENTS, TEXT, 8 * STREAM_BYTES)],
  ['8 MiB of JSON with a million keys', pouring('application/json', '"a":{},', STREAM_BYTES)],
];

/** Endpoints of models that send as much as they can, or nothing. */
export const foreignStreams: Attack = {
  number: NUMBER,
  name: 'streams of foreign models',
  async run(target, notes, mails) {
    const [greedy, quiet, ...silent] = await Promise.all(
      Array.from({ length: 2 + SILENT_ACCOUNTS }, (_, n) => newTenant(target, mails, NUMBER, n + 1)),
    );
    const agents = await agentsAt(greedy!, NOBODYS_URL, AGENTS);
    for (const [what, answer] of DOORS) {
      const endpoint = await ForeignEndpoint.open(answer);
      for (const id of agents) await pointAt(greedy!, id, endpoint.url);
      await streams(target, notes, what, { greedy: greedy!, quiet: quiet!, agents });
      endpoint.close();
    }
    await silence(notes, silent, quiet!);
    for (const tenant of [greedy!, quiet!, ...silent]) await leave(tenant);
  },
};

interface Streaming {
  readonly greedy: Tenant;
  readonly quiet: Tenant;
  readonly agents: readonly string[];
}

async function streams(
  { pid }: Target,
  notes: Notes,
  what: string,
  { greedy, quiet, agents }: Streaming,
): Promise<void> {
  const cpu = await MainCpu.of(pid);
  notes.act(`${AGENTS} agents of one account get ${what} each`);
  const latenciesMs: number[] = [];
  const cpuMs = await cpu.msOf(async () => {
    await askAll(greedy, agents);
    const untilMs = performance.now() + LASTS_MS;
    while (performance.now() < untilMs) latenciesMs.push(await msOf(() => quiet.agentApi.get('/api/calls')));
  });
  const p99Ms = quantile(latenciesMs, 0.99);
  notes.demand(p99Ms < MAX_P99_MS, `p99 of another account's REST during ${what}, ms`, p99Ms.toFixed(1));
  const share = cpuMs / LASTS_MS;
  notes.demand(share < MAX_CPU_SHARE, `share of the main thread during ${what}`, share.toFixed(2));
}

async function silence(notes: Notes, silent: readonly Tenant[], quiet: Tenant): Promise<void> {
  const deaf = await ForeignEndpoint.open(() => {});
  const own = await ForeignEndpoint.open((response) => response.end());
  notes.act(`${SILENT_AGENTS} agents of each of ${SILENT_ACCOUNTS} accounts ask models that never answer`);
  for (const tenant of silent) await askAll(tenant, await agentsAt(tenant, deaf.url, SILENT_AGENTS));
  await deaf.msUntilAsked(SILENT_ACCOUNTS * SILENT_AGENTS, LASTS_MS);
  const agents = await agentsAt(quiet, own.url, 1);
  await askAll(quiet, agents);
  const beginMs = await own.msUntilAsked(1, LASTS_MS);
  notes.demand(beginMs < MAX_BEGIN_MS, "until another account's turn begins, ms", beginMs.toFixed(0));
  deaf.close();
  own.close();
  await pause(100);
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const sinceMs = performance.now();
  await work();
  return performance.now() - sinceMs;
}
