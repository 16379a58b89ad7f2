import { setTimeout as sleep } from 'node:timers/promises';
import type { Termination } from '../../../../src/base/termination.ts';
import type { OpenMedia } from '../../../../src/media/media-control.ts';
import type { MediaEvent } from '../../../../src/media/media-leg.ts';
import { RingConsumer } from '../../../../src/rings/ring-consumer.ts';
import { ringMemory } from '../../../../src/rings/ring-layout.ts';
import { RingProducer } from '../../../../src/rings/ring-producer.ts';
import type { AgentAudio, AgentAudioObserver } from '../../../../src/threads/agent-link.ts';
import type { EngineCall } from '../../../../src/threads/call-link.ts';
import { Engine, type EngineObserver } from '../../../../src/threads/engine.ts';
import type { HeardFact, MeasuredTurn } from '../../../../src/threads/protocol.ts';
import { roomyQueue } from '../../threads/roomy-queue.ts';
import {
  type Action,
  TEST_MEDIA,
  type TestMediaCommands,
  type TestMediaConfig,
  type TestMediaOpen,
  type TestMediaSignal,
} from './test-media-leg.ts';

/** Everything that the engine reported about itself. */
export class RecordingEngineObserver implements EngineObserver {
  readonly readyAtMs: number[] = [];
  readonly lost: { threadId: number; stalled: boolean; calls: number }[] = [];
  readonly moved: string[] = [];
  readonly failed: string[] = [];
  readonly faults: string[] = [];

  workerReady(): void {
    this.readyAtMs.push(performance.now());
  }
  workerLost(threadId: number, stalled: boolean, calls: number): void {
    this.lost.push({ threadId, stalled, calls });
  }
  callMoved(callId: string): void {
    this.moved.push(callId);
  }
  callFailed(callId: string): void {
    this.failed.push(callId);
  }
  fault(error: { message: string }): void {
    this.faults.push(error.message);
  }
}

export async function startTestEngine(
  options: { threads?: number; callsPerThread?: number; stallMs?: number } = {},
): Promise<{ engine: Engine; observer: RecordingEngineObserver }> {
  const observer = new RecordingEngineObserver();
  const engine = await Engine.start({
    threads: options.threads ?? 1,
    callsPerThread: options.callsPerThread ?? null,
    stallMs: options.stallMs ?? 2_000,
    observer,
    workerUrl: new URL('./test.worker.ts', import.meta.url),
  });
  return { engine, observer };
}

/** A call whose far end is the test. */
export class TestCall {
  readonly callId: string;
  readonly call: EngineCall;
  readonly terminations: Termination[] = [];
  readonly turns: MeasuredTurn[] = [];
  readonly facts: HeardFact[] = [];
  readonly events: MediaEvent<TestMediaSignal>[] = [];
  /** Set once the media is open. */
  media!: OpenMedia<TestMediaConfig, TestMediaCommands>;
  readonly says: RingProducer;
  readonly hears: RingConsumer;
  readonly #open: TestMediaOpen;

  constructor(
    engine: Engine,
    callId: string,
    sampleRateHz = 8_000,
    opening: Pick<TestMediaOpen, 'failToOpen' | 'openAfterMs'> = {},
  ) {
    this.callId = callId;
    this.call = engine.place(callId, {
      ended: (termination) => this.terminations.push(termination),
      turned: (turn) => this.turns.push(turn),
      heard: (fact) => this.facts.push(fact),
    });
    const says = ringMemory(2 ** 15);
    const hears = ringMemory(2 ** 16);
    this.says = new RingProducer(says);
    this.hears = new RingConsumer(hears);
    this.#open = { sampleRateHz, says, hears, ...opening };
  }

  open(): Promise<void> {
    this.call.startAudio();
    return this.openSilently();
  }

  /** Opens the media of a call that has not been answered. */
  async openSilently(): Promise<void> {
    this.media = await this.call.media.open(TEST_MEDIA, this.#open, (event) => this.events.push(event));
  }

  /** Has the leg do something. */
  run(what: Action): Promise<void> {
    return this.media.command('run', what);
  }

  /** Everything heard since the last call. */
  takeHeard(): Int16Array {
    const heard = new Int16Array(this.hears.readableSamples());
    this.hears.read(heard, 0, heard.length);
    return heard;
  }
}

/** An agent that records everything it receives. */
export class TestAgent implements AgentAudioObserver {
  readonly audio: AgentAudio;
  readonly frames: Buffer[] = [];
  readonly marks: number[] = [];
  readonly clears: { playedMs: number; droppedMs: number }[] = [];
  readonly holds: { isHeld: boolean; playedMs: number }[] = [];
  overrunMs = 0;
  overflowMs = 0;
  busy = false;

  constructor(call: EngineCall) {
    this.audio = call.joinAgent(this, roomyQueue());
  }

  frame(pcm: Uint8Array): boolean {
    if (this.busy) return false;
    this.frames.push(Buffer.from(pcm));
    return true;
  }
  cork(give: () => void): void {
    give();
  }
  mark(markId: number): void {
    this.marks.push(markId);
  }
  cleared(playedMs: number, droppedMs: number): void {
    this.clears.push({ playedMs, droppedMs });
  }
  held(isHeld: boolean, playedMs: number): void {
    this.holds.push({ isHeld, playedMs });
  }
  overrun(lostMs: number): void {
    this.overrunMs += lostMs;
  }
  overflow(lostMs: number): void {
    this.overflowMs += lostMs;
  }
}

/** Waits for a condition, polling every few milliseconds; rejects after `withinMs`. */
export async function until(condition: () => boolean, withinMs = 30_000): Promise<number> {
  const startedMs = performance.now();
  while (!condition()) {
    if (performance.now() - startedMs > withinMs) throw new Error(`not within ${withinMs} ms: ${condition}`);
    await sleep(3);
  }
  return performance.now() - startedMs;
}
