import { afterEach, describe, expect, it } from 'vitest';
import type { OpenedTransport } from '../../../src/media/transport.ts';
import { BridgePool } from '../../../src/threads/bridge-pool.ts';
import { until } from '../engine/support/test-engine.ts';
import {
  type Action,
  REJOINING,
  RESUMING,
  type TestTransportCommands,
  type TestTransportOpen,
  type TestTransportSignal,
} from './test-transport.ts';

/** Transports that a thread holds. */
const THREAD_FULL = 100;

let pool: BridgePool;

afterEach(() => pool.close(1_000));

/** An open transport and everything it reported. */
class Opened {
  readonly signals: TestTransportSignal[] = [];
  readonly lost: string[] = [];
  transport!: OpenedTransport<TestTransportCommands>;

  static async open(protocol = REJOINING, open: TestTransportOpen = {}): Promise<Opened> {
    const opened = new Opened();
    opened.transport = await pool.open(protocol, open, {
      signal: (signal) => opened.signals.push(signal),
      lost: (reason) => opened.lost.push(reason),
    });
    return opened;
  }

  run(what: Action): Promise<void> {
    return this.transport.command('run', what);
  }
}

/** Holds up this thread, so that it handles nothing meanwhile. */
function blockUntil(condition: () => boolean): void {
  const waiting = new Int32Array(new SharedArrayBuffer(4));
  for (let i = 0; i < 1_000 && !condition(); i++) Atomics.wait(waiting, 0, 0, 10);
}

function startPool(stallMs?: number) {
  const lost: boolean[] = [];
  const stalled: number[] = [];
  const faults: string[] = [];
  pool = new BridgePool({
    observer: {
      transportLost: (_kind, _reason, resumed) => lost.push(resumed),
      threadStalled: (threadId) => stalled.push(threadId),
      fault: ({ message }) => faults.push(message),
    },
    ...(stallMs === undefined ? {} : { stallMs }),
    workerUrl: new URL('./test.worker.ts', import.meta.url),
  });
  return { lost, stalled, faults };
}

describe('the bridge pool', () => {
  it('opens a few at a time where that takes long, and the account that has fewest comes first', async () => {
    startPool();
    const first = await Promise.all(
      Array.from({ length: 8 }, () => Opened.open(REJOINING, { turnOf: 'acc_1' })),
    );
    const opened: string[] = [];
    const open = (turnOf: string) => Opened.open(REJOINING, { turnOf }).then(() => opened.push(turnOf));
    const waiting = Promise.all([open('acc_1'), open('acc_1'), open('acc_2')]);
    await Opened.open();
    expect(opened).toEqual([]);
    expect(pool.report().opening).toBe(3);
    await first[0]!.transport.close();
    await until(() => opened.length > 0);
    expect(opened).toEqual(['acc_2']);
    await Promise.all(first.slice(1, 3).map(({ transport }) => transport.close()));
    await waiting;
    expect(pool.report().opening).toBe(0);
  });

  it('starts its first thread with the first transport', async () => {
    startPool();
    expect(pool.report().threads).toBe(0);
    await Opened.open();
    await until(() => pool.report().threads === 1);
    expect(pool.report()).toMatchObject({ threads: 1, transports: 1, droppedSignals: 0 });
  });

  it('answers commands with their values or errors', async () => {
    startPool();
    const { transport } = await Opened.open();
    await expect(transport.command('add', 2, 3)).resolves.toBe(5);
    await expect(transport.command('run', 'reject')).rejects.toMatchObject({
      message: 'rejected',
      code: 'ETEST',
    });
    await expect((transport as OpenedTransport<{ nonsense(): void }>).command('nonsense')).rejects.toThrow(
      'the transport has no command nonsense',
    );
  });

  it('reports why a transport did not open', async () => {
    startPool();
    const nobody = { signal: () => {}, lost: () => {} };
    await expect(pool.open(RESUMING, { failToOpen: 'EREFUSED' }, nobody)).rejects.toMatchObject({
      code: 'EREFUSED',
    });
    const other = { ...RESUMING, kind: 'nonsense' };
    await expect(pool.open(other, {}, nobody)).rejects.toThrow('no transport of kind nonsense');
    expect(pool.report().transports).toBe(0);
  });

  it('closes transports at any moment, twice, and leaves nothing behind', async () => {
    startPool();
    const opened = await Opened.open();
    const hanging = opened.run('hang');
    hanging.catch(() => {});
    await Promise.all([opened.transport.close(), opened.transport.close()]);
    await expect(hanging).rejects.toMatchObject({ code: 'call_not_active' });
    await expect(opened.run('reject')).rejects.toMatchObject({ code: 'call_not_active' });
    expect(opened.lost).toEqual([]);
    expect(pool.report().transports).toBe(0);
  });

  it('limits the commands that one transport has pending', async () => {
    startPool();
    const opened = await Opened.open();
    const hanging = Array.from({ length: 64 }, () => opened.run('hang'));
    for (const command of hanging) command.catch(() => {});
    await expect(opened.run('hang')).rejects.toThrow('Too many commands are pending');
  });

  it('limits the signals that one transport has unhandled, and counts those dropped', async () => {
    startPool();
    const counts: number[] = [];
    const signal = ({ count }: TestTransportSignal) => {
      if (counts.length === 0) blockUntil(() => pool.report().droppedSignals === 744);
      counts.push(count);
    };
    const transport = await pool.open(REJOINING, {}, { signal, lost: () => {} });
    await expect(transport.command('flood', 1_000)).resolves.toBe(256);
    await until(() => counts.length === 256);
    expect(counts).toEqual(Array.from({ length: 256 }, (_, i) => i));
    await expect(transport.command('flood', 10)).resolves.toBe(10);
    expect(pool.report().droppedSignals).toBe(744);
  });

  it('survives an observer that throws', async () => {
    const { faults } = startPool();
    const transport = await pool.open(
      REJOINING,
      {},
      {
        signal: () => {
          throw new Error('the observer is broken');
        },
        lost: () => {},
      },
    );
    await expect(transport.command('flood', 3)).resolves.toBe(3);
    await until(() => faults.length === 3);
    await expect(transport.command('flood', 1)).resolves.toBe(1);
  });
});

describe('a second bridge thread', () => {
  it('is started when the first is full, and then takes what comes until both have as much', async () => {
    const { lost } = startPool();
    const first = await Promise.all(Array.from({ length: THREAD_FULL }, () => Opened.open()));
    await until(() => pool.report().threads === 1);
    const second = await Opened.open();
    await until(() => pool.report().threads === 2);
    await Promise.all(first.slice(10).map(({ transport }) => transport.close()));
    await until(() => pool.report().transports === 11);
    // The second thread gets nine of its own, and then both get five.
    for (let i = 0; i < 19; i++) await Opened.open();
    second.run('exit').catch(() => {});
    await until(() => lost.length > 0 && pool.report().transports === 15);
    expect(lost).toHaveLength(15);
  });
});

describe('a transport that fails', () => {
  it('is lost alone', async () => {
    const { lost } = startPool();
    const [sick, well] = await Promise.all([Opened.open(RESUMING), Opened.open(RESUMING)]);
    await sick.run('fail').catch(() => {});
    await until(() => sick.lost.length === 1);
    expect(sick.lost).toEqual(['the platform has closed']);
    await expect(well.transport.command('add', 1, 1)).resolves.toBe(2);
    expect(lost).toEqual([]);
  });
});

describe('a bridge thread that is lost', () => {
  it.each([
    ['throw', 'thrown in a callback', false],
    ['reject_unhandled', 'rejected in a callback', false],
    ['exit', 'exited with code', false],
    ['exhaust_memory', 'memory limit', false],
    ['loop', 'exited with code', true],
  ] as const)('takes its transports along, and no others: %s', async (action, reason, isStalled) => {
    const { lost, stalled } = startPool(action === 'loop' ? 2_000 : 60_000);
    const firstThread = await Promise.all(Array.from({ length: THREAD_FULL }, () => Opened.open()));
    const elsewhere = await Opened.open();
    // A thread and its transports report by ports that are read in any order.
    await until(() => pool.report().threads === 2);
    firstThread[0]!.run(action).catch(() => {});
    await until(() => firstThread.every((opened) => opened.lost.length === 1));
    expect(firstThread[0]!.lost[0]).toContain(reason);
    expect(lost).toEqual(firstThread.map(() => false));
    expect(stalled).toHaveLength(isStalled ? 1 : 0);
    expect(elsewhere.lost).toEqual([]);
    await expect(elsewhere.transport.command('add', 1, 2)).resolves.toBe(3);
    await until(() => pool.report().threads === 1);
    expect(pool.report()).toMatchObject({ transports: 1, lostTransports: THREAD_FULL, resumedTransports: 0 });
    const again = await Opened.open();
    await expect(again.transport.command('add', 2, 2)).resolves.toBe(4);
  });

  it('is replaced for transports that can resume, with their memory', async () => {
    const { lost } = startPool();
    const opened = await Opened.open(RESUMING);
    const hanging = opened.run('hang');
    hanging.catch(() => {});
    opened.run('throw').catch(() => {});
    await expect(hanging).rejects.toThrow('The bridge thread was lost');
    await expect(opened.transport.command('flood', 1)).resolves.toBe(1);
    await until(() => opened.signals.length === 1);
    expect(opened.signals[0]).toEqual({ count: 0, opened: 2 });
    expect(opened.lost).toEqual([]);
    expect(lost).toEqual([true]);
  });

  it('is replaced by one thread for all its transports', async () => {
    const { lost } = startPool();
    const all = await Promise.all(Array.from({ length: THREAD_FULL }, () => Opened.open(RESUMING)));
    all[0]!.run('throw').catch(() => {});
    await until(() => lost.length === all.length);
    const sums = await Promise.all(all.map(({ transport }) => transport.command('add', 1, 2)));
    expect(sums).toEqual(all.map(() => 3));
    await until(() => pool.report().threads === 1);
    expect(pool.report()).toMatchObject({
      threads: 1,
      transports: THREAD_FULL,
      resumedTransports: THREAD_FULL,
    });
  });

  it('loses a transport that does not open again in time, and its place is free', async () => {
    startPool();
    const opened = await Opened.open(RESUMING, { hangsLater: true });
    opened.run('throw').catch(() => {});
    await until(() => opened.lost.length === 1);
    expect(opened.lost).toEqual(['The transport did not open in time']);
    await until(() => pool.report().transports === 0);
    const others = await Promise.all(Array.from({ length: THREAD_FULL }, () => Opened.open()));
    await until(() => pool.report().threads === 1);
    expect(pool.report()).toMatchObject({ threads: 1, transports: others.length });
  });

  it('is not replaced for a transport that loses its thread four times in a minute', async () => {
    startPool();
    const opened = await Opened.open(RESUMING);
    for (let i = 0; i < 4; i++) await opened.run('exit').catch(() => {});
    await until(() => opened.lost.length === 1);
    expect(opened.lost[0]).toContain('exited with code');
  });
});
