import { setTimeout as sleep } from 'node:timers/promises';
import type { MediaLeg, MediaLegHost } from '../../../../src/media/media-leg.ts';
import type { MediaProtocol } from '../../../../src/media/media-protocol.ts';
import { RingConsumer } from '../../../../src/rings/ring-consumer.ts';
import { RingProducer } from '../../../../src/rings/ring-producer.ts';

/** A platform made of two rings: the test plays the far end from its own thread. */
export interface TestMediaOpen {
  readonly sampleRateHz: number;
  /** The audio of the far end. */
  readonly says: SharedArrayBuffer;
  /** The audio that the far end hears, silence included. */
  readonly hears: SharedArrayBuffer;
  readonly failToOpen?: string;
  readonly openAfterMs?: number;
}

export type TestMediaConfig = number | 'bad';

export interface TestMediaCommands {
  run(what: Action): void;
  add(one: number, other: number): number;
}

export interface TestMediaSignal {
  readonly speaking: boolean;
}

export const TEST_MEDIA: MediaProtocol<TestMediaOpen, TestMediaConfig, TestMediaCommands, TestMediaSignal> = {
  kind: 'test',
};

export type Action =
  | 'succeed'
  | 'reject'
  | 'hang'
  /** Resolved when the leg is closed. */
  | 'last'
  | 'throw_in_tick'
  | 'loop'
  | 'exit'
  | 'fail'
  | 'emit'
  | 'signal'
  | 'hold'
  | 'resume'
  /** Counts something. */
  | 'count';

/** Int32 words of the leg's surviving memory that a test can read. */
export const OPENED_COUNT = 0;
export const CONFIGURED_VALUE = 1;

/** The leg's counters after `count`. */
export const COUNTED = {
  lost: 1,
  late: 2,
  concealed: 3,
  droppedForDepth: 4,
  shortenedMs: 5.5,
  lengthenedMs: 6.5,
  delayMs: 70.5,
};

export async function openTestMedia(
  options: TestMediaOpen,
  memory: SharedArrayBuffer,
  host: MediaLegHost<TestMediaSignal>,
): Promise<MediaLeg<TestMediaConfig, TestMediaCommands>> {
  if (options.openAfterMs) await sleep(options.openAfterMs);
  if (options.failToOpen) throw Object.assign(new Error('cannot open'), { code: options.failToOpen });
  return new TestMediaLeg(options, memory, host);
}

class TestMediaLeg implements MediaLeg<TestMediaConfig, TestMediaCommands> {
  readonly commands = {
    run: (what: Action) => this.#run(what),
    add: async (one: number, other: number) => one + other,
  };
  readonly sampleRateHz: number;
  readonly voices = [this];
  readonly resting = false;
  onHold = false;
  readonly counters = {
    packetsReceived: 0,
    packetsSent: 0,
    lost: 0,
    late: 0,
    concealed: 0,
    droppedForDepth: 0,
    shortenedMs: 0,
    lengthenedMs: 0,
    delayMs: 0,
    unsent: 0,
    overflowed: 0,
  };
  readonly #words: Int32Array;
  readonly #says: RingConsumer;
  readonly #hears: RingProducer;
  readonly #host: MediaLegHost<TestMediaSignal>;
  readonly #closing = Promise.withResolvers<void>();
  #throwInTick = false;

  constructor(open: TestMediaOpen, memory: SharedArrayBuffer, host: MediaLegHost<TestMediaSignal>) {
    this.sampleRateHz = open.sampleRateHz;
    this.#words = new Int32Array(memory);
    this.#says = new RingConsumer(open.says);
    this.#hears = new RingProducer(open.hears);
    this.#host = host;
    Atomics.add(this.#words, OPENED_COUNT, 1);
  }

  configure(config: TestMediaConfig): void {
    if (config === 'bad') throw new Error('bad configuration');
    Atomics.store(this.#words, CONFIGURED_VALUE, config);
  }

  async #run(what: Action): Promise<void> {
    switch (what) {
      case 'succeed':
        return;
      case 'reject':
        throw Object.assign(new Error('rejected'), { code: 'ETEST' });
      case 'hang':
        return new Promise(() => {});
      case 'last':
        return this.#closing.promise;
      case 'throw_in_tick':
        this.#throwInTick = true;
        return;
      case 'loop':
        for (;;);
      case 'exit':
        process.exit(3);
        return;
      case 'fail':
        this.#host.fail(new Error('failed in a callback'));
        return;
      case 'emit':
        this.#host.emit({ type: 'dtmf', digit: '5' });
        return;
      case 'signal':
        this.#host.emit({ type: 'signal', signal: { speaking: true } });
        return;
      case 'hold':
        this.onHold = true;
        return;
      case 'resume':
        this.onHold = false;
        return;
      case 'count':
        Object.assign(this.counters, COUNTED);
    }
  }

  pull(frame: Int16Array): boolean {
    if (this.#throwInTick) throw new Error('thrown in the tick');
    if (this.#says.readableSamples() < frame.length) return false;
    this.#says.read(frame, 0, frame.length);
    this.counters.packetsReceived++;
    return true;
  }

  push(frame: Int16Array): void {
    this.#hears.write(frame, 0, frame.length, this.sampleRateHz);
    this.counters.packetsSent++;
  }

  close(): void {
    this.#closing.resolve();
  }
}
