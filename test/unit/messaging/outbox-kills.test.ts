import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { recoverOutbox } from '../../../src/messaging/outbox/recover-outbox.ts';
import { openStore } from '../../../src/store/store.ts';
import { FakeMessenger } from '../../support/fake-messenger.ts';
import { readGatewayRows } from '../../support/gateway-database.ts';
import { waitFor } from '../../support/wait-for.ts';
import { temporaryDir } from '../store/temporary.ts';
import { Outbound } from './outbound-harness.ts';

/** Use `OUTBOX_KILLS=1000` for more. */
const KILLS = Number(process.env.OUTBOX_KILLS ?? 3);
const CONVERSATIONS = 5;
const LEAST_SETTLED = 20;
const LATEST_KILL_MS = 60;

/** The reported outcomes by message id, and the ids that the platform accepted, as often as it did. */
interface Seen {
  readonly dataDir: string;
  readonly told: Map<string, string>;
  readonly taken: readonly string[];
  /** How the platform got them: `sent`, or as the `answer` of a webhook. */
  readonly ways: ReadonlySet<string>;
}

/** How messages go out; see sender.ts. `answers webhooks`: most of them as the answers of webhooks. */
type Mode = 'drops duplicates' | 'shows all' | 'in the background' | 'answers webhooks' | 'in parts';

/** Has messages sent by a series of processes, each killed in the middle of it. */
async function killOften(mode: Mode): Promise<Seen> {
  const dataDir = temporaryDir();
  const platformFile = join(dataDir, 'platform');
  const store = await openStore({ dataDir, masterKey: null });
  const outbound = await Outbound.open({ store, isFresh: true });
  await outbound.bot();
  for (let i = 0; i < CONVERSATIONS; i++) await outbound.conversation(`${i}`);
  await outbound.domain.resolveFiles(outbound.accountId, [{ fileId: 'f_1' }], new AbortController().signal);
  await store.close();
  const told = new Map<string, string>();
  for (let i = 0; i < KILLS; i++) await sendUntilKilled([dataDir, platformFile, mode], told);
  const lines = readFileSync(platformFile, 'utf8').split('\n').slice(0, -1);
  const parts = lines.map((line) => line.split(' '));
  return { dataDir, told, taken: parts.map(([id]) => id!), ways: new Set(parts.map(([, way]) => way!)) };
}

async function sendUntilKilled(args: readonly string[], told: Map<string, string>): Promise<void> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./sender.ts', import.meta.url)), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  let settled = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [id = '', kind = ''] = line.split(' ');
    told.set(id, kind);
    if (++settled === LEAST_SETTLED)
      void wait(Math.random() * LATEST_KILL_MS).then(() => child.kill('SIGKILL'));
  }
  await exited;
  expect([child.signalCode, settled >= LEAST_SETTLED]).toEqual(['SIGKILL', true]);
}

/** The messages after a last process has recovered those in flight. */
async function afterwards(dataDir: string, messenger: FakeMessenger): Promise<Map<string, string>> {
  const store = await openStore({ dataDir, masterKey: null });
  onTestFinished(() => store.close());
  const last = await Outbound.open({ store, messenger });
  await recoverOutbox(last.domain, last.domain.outbox, (error) => last.failures.push(error));
  await waitFor('all to be settled', () => last.domain.outbox.waiting === 0);
  expect(last.failures).toEqual([]);
  return new Map((await last.messages()).map(({ id, status }) => [id, status]));
}

it.each(['shows all', 'answers webhooks'] as const)(
  'loses no message to kill -9, and sends none twice, where the platform %s',
  async (mode) => {
    const { dataDir, told, taken, ways } = await killOften(mode);
    expect([...ways].sort()).toEqual(mode === 'answers webhooks' ? ['answer', 'sent'] : ['sent']);
    const messenger = new FakeMessenger();
    const statuses = await afterwards(dataDir, messenger);
    expect(messenger.asked).toEqual([]);
    const platform = new Set(taken);
    expect(platform.size).toBe(taken.length);
    expect(new Set(told.values())).toEqual(new Set(['delivered']));
    for (const id of told.keys())
      expect([id, statuses.get(id), platform.has(id)]).toEqual([id, 'delivered', true]);
    // A message that the platform has is delivered or reported as unknown; no other is.
    for (const id of taken) expect(['delivered', 'unknown']).toContain(statuses.get(id));
    for (const [id, status] of statuses)
      if (status === 'delivered') expect([id, platform.has(id)]).toEqual([id, true]);
    const unknown = [...statuses.values()].filter((status) => status === 'unknown').length;
    expect(new Set(statuses.values())).toEqual(new Set(['delivered', ...(unknown > 0 ? ['unknown'] : [])]));
    console.log(
      `${KILLS} kills: ${told.size} messages told delivered, ${taken.length} taken, ${unknown} unknown`,
    );
  },
  600_000,
);

it('delivers every stored message where the platform drops duplicates', async () => {
  const { dataDir, told, taken } = await killOften('drops duplicates');
  const messenger = Object.assign(new FakeMessenger(), { dropsDuplicatesForMs: Number.POSITIVE_INFINITY });
  const statuses = await afterwards(dataDir, messenger);
  const everywhere = new Set([...taken, ...messenger.taken.map(({ messageId }) => messageId)]);
  expect(new Set(statuses.values())).toEqual(new Set(['delivered']));
  expect([...statuses.keys()].filter((id) => !everywhere.has(id))).toEqual([]);
  expect([...told.keys()].filter((id) => statuses.get(id) !== 'delivered')).toEqual([]);
}, 600_000);

it('sends accepted background messages after kill -9, once, and reports how each one ended', async () => {
  const { dataDir, told, taken } = await killOften('in the background');
  const messenger = new FakeMessenger();
  const statuses = await afterwards(dataDir, messenger);
  const everywhere = [...taken, ...messenger.taken.map(({ messageId }) => messageId)];
  expect(new Set(everywhere).size).toBe(everywhere.length);
  for (const id of told.keys()) expect(['delivered', 'unknown']).toContain(statuses.get(id));
  const unknown = [...statuses].filter(([, status]) => status === 'unknown').map(([id]) => id);
  for (const [id, status] of statuses)
    if (status === 'delivered') expect([id, everywhere.includes(id)]).toEqual([id, true]);
  // Those being sent at that moment, one of each conversation; the others waited behind them.
  expect(unknown.length).toBeLessThanOrEqual(KILLS * CONVERSATIONS);
  const ends = endsIn(dataDir);
  expect([...ends.keys()].sort()).toEqual([...statuses.keys()].sort());
  for (const [id, types] of ends)
    expect([id, types]).toEqual([id, [statuses.get(id) === 'delivered' ? 'dm_sent' : 'dm_failed']]);
  console.log(
    `${KILLS} kills: ${told.size} messages promised, ${everywhere.length} taken, ${unknown.length} unknown`,
  );
}, 600_000);

it('sends the parts of split texts in order after kill -9, and none twice', async () => {
  const { dataDir, told, taken } = await killOften('in parts');
  const messenger = new FakeMessenger();
  const statuses = await afterwards(dataDir, messenger);
  const everywhere = [...taken, ...messenger.taken.map(({ messageId }) => messageId)];
  expect(new Set(everywhere).size).toBe(everywhere.length);
  for (const id of told.keys()) expect(['delivered', 'unknown']).toContain(statuses.get(id));
  const sql = 'select id, conversation_id, seq from messages';
  const rows = readGatewayRows<{ id: string; conversation_id: string; seq: number }>(dataDir, sql);
  const placeOf = new Map(rows.map((row) => [row.id, row]));
  const shown = Map.groupBy(everywhere, (id) => placeOf.get(id)!.conversation_id);
  for (const ids of shown.values()) {
    const seqs = ids.map((id) => placeOf.get(id)!.seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  }
  console.log(`${KILLS} kills: ${told.size} parts promised, ${everywhere.length} shown`);
}, 600_000);

/** The types of the events that report how each message ended. */
function endsIn(dataDir: string): Map<string, string[]> {
  const sql = "select type, payload ->> '$.message_id' as id from events order by id";
  const byId = Map.groupBy(readGatewayRows<{ type: string; id: string }>(dataDir, sql), ({ id }) => id);
  return new Map([...byId].map(([id, rows]) => [id, rows.map(({ type }) => type)]));
}
