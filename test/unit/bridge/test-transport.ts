import type { Transport, TransportHost, TransportProtocol } from '../../../src/media/transport.ts';

export interface TestTransportOpen {
  /** The account in whose turn it opens. It has the turn until it is closed. Default: it needs none. */
  readonly turnOf?: string;
  readonly failToOpen?: string;
  /** Opens the first time only. */
  readonly hangsLater?: boolean;
}

export interface TestTransportCommands {
  run(what: Action): void;
  add(one: number, other: number): number;
  /** Emits this many signals at once and returns how many were taken. */
  flood(count: number): number;
}

/** Number of the signal, and how often a transport was opened on this memory. */
export interface TestTransportSignal {
  readonly count: number;
  readonly opened: number;
}

export type Action =
  | 'reject'
  | 'hang'
  /** Ends the transport alone. */
  | 'fail'
  /** Each of these ends the thread. */
  | 'throw'
  | 'reject_unhandled'
  | 'exhaust_memory'
  | 'exit'
  | 'loop';

type Protocol = TransportProtocol<TestTransportOpen, TestTransportCommands, TestTransportSignal>;

export const RESUMING: Protocol = { kind: 'test', recovery: 'resume' };
export const REJOINING: Protocol = { kind: 'test', recovery: 'rejoin' };

/** A transport to nowhere that does as it is told. */
export async function openTestTransport(
  { failToOpen, hangsLater, turnOf }: TestTransportOpen,
  memory: SharedArrayBuffer,
  host: TransportHost<TestTransportSignal>,
): Promise<Transport<TestTransportCommands>> {
  if (failToOpen !== undefined) throw Object.assign(new Error('cannot open'), { code: failToOpen });
  if (turnOf !== undefined) await host.turn(turnOf);
  const opened = Atomics.add(new Int32Array(memory), 0, 1) + 1;
  if (hangsLater && opened > 1) return new Promise(() => {});
  return {
    commands: {
      run: (what) => run(what, host),
      add: async (one, other) => one + other,
      flood: async (count) => {
        let taken = 0;
        for (let i = 0; i < count; i++) if (host.emit({ count: i, opened })) taken++;
        return taken;
      },
    },
    close: () => {},
  };
}

async function run(what: Action, host: TransportHost<TestTransportSignal>): Promise<void> {
  switch (what) {
    case 'reject':
      throw Object.assign(new Error('rejected'), { code: 'ETEST' });
    case 'hang':
      return new Promise(() => {});
    case 'fail':
      host.fail(new Error('the platform has closed'));
      return;
    case 'throw':
      setImmediate(() => {
        throw new Error('thrown in a callback');
      });
      return;
    case 'reject_unhandled':
      void Promise.reject(new Error('rejected in a callback'));
      return;
    case 'exhaust_memory': {
      const kept: number[][] = [];
      for (;;) kept.push(new Array(100_000).fill(kept.length));
    }
    case 'exit':
      process.exit(3);
      return;
    case 'loop':
      for (;;);
  }
}
