import { MessageChannel, type MessagePort, parentPort, threadId } from 'node:worker_threads';
import { assert } from '../base/assert.ts';
import { frameSamples } from '../base/frame.ts';
import { onePer } from '../base/one-per.ts';
import type { MediaIo, MediaLegFactory } from '../media/media-leg.ts';
import type { VoiceCodecs } from '../rtp/codecs/voice-codecs.ts';
import { EngineStats } from '../threads/engine-stats.ts';
import {
  type CallOutcome,
  type CallPlacement,
  type Command,
  type Event,
  PROTOCOL_VERSION,
  type Reply,
  toWireError,
  type WorkerReady,
} from '../threads/protocol.ts';
import { AgentBells } from './agent-bells.ts';
import { TickClock, type Ticking } from './clock.ts';
import { MediaCall, type MediaCallHost } from './media-call.ts';
import { Mixer } from './mixer.ts';
import { Slots } from './slots.ts';

/** Interval at which resting calls are served, each once in four seconds, and the thread looks how busy it is. */
export const ROUND_MS = 200;
/** Share of a core that the engine thread may use before ordinary threads. The main thread needs the rest. */
const MOST_OF_CORE = 0.7;
/** CPU time without a rest. It lasts for what is caught up after a delay, and a busy main thread can wait as long. */
const BUDGET_MS = 10;
/** Looks in a row that have to find the thread below that share. */
const CALM_LOOKS = 5;

/** One engine thread: a clock, the calls placed on it, and the port for commands from the main thread. */
export class EngineWorker implements MediaCallHost, Ticking {
  readonly stats = new EngineStats();
  readonly codecs: VoiceCodecs;
  readonly #factories: readonly MediaLegFactory[];
  readonly #io: MediaIo;
  readonly #calls = new Map<string, MediaCall>();
  readonly #slots = new Slots();
  readonly mixerFor = onePer((sampleRateHz) => new Mixer(frameSamples(sampleRateHz)));
  readonly #port: MessagePort;
  /** Ring with a bit for each slot that has ticked. */
  readonly bells = new AgentBells();
  readonly #clock = new TickClock(this.stats, this);
  readonly #precedence: Precedence;

  /** Creates the worker. The factories' media legs use `io` for their I/O, and `codecs`. */
  constructor(factories: readonly MediaLegFactory[], io: MediaIo, codecs: VoiceCodecs) {
    assert(parentPort !== null, 'an engine worker runs in a thread of its own');
    this.#factories = factories;
    this.codecs = codecs;
    this.#io = io;
    this.#precedence = new Precedence((cpuMs) => io.precede(cpuMs));
    if (io.kind === 'native') this.stats.add('native_io_threads', 1);
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#port.on('message', (command: Command) => this.#handle(command));
    process.on('uncaughtException', (error) => this.#fault(error));
    // Sent only after this module's evaluation: V8 aborts the whole process when a thread is terminated in response to
    // its first message while it is still in a top-level await.
    const toPool = parentPort;
    setImmediate(() => toPool.postMessage(this.#ready(port2), [port2]));
    setInterval(() => this.#round(), ROUND_MS);
  }

  /** Task of the pool: runs the call until it ends. A rejection means that this thread is lost. */
  async run(placement: CallPlacement): Promise<CallOutcome> {
    let call: MediaCall;
    try {
      assert(placement.version === PROTOCOL_VERSION, `placement version ${placement.version}`);
      const factory = this.#factories.find(({ kind }) => kind === placement.media.kind);
      assert(factory !== undefined, `no media leg of kind ${placement.media.kind}`);
      call = await MediaCall.open(placement, factory, this);
    } catch (error) {
      return { type: 'open_failed', error: toWireError(error) };
    }
    return this.#hold(call);
  }

  readonly post = (message: Event | Reply): void => this.#port.postMessage(message);

  async #hold(call: MediaCall): Promise<CallOutcome> {
    const { callId, callNumber } = call;
    this.#calls.set(callId, call);
    this.stats.add('calls', 1);
    this.post({ type: 'call.placed', callId, callNumber, slot: this.#slots.add(call) });
    if (!call.resting) this.#clock.wake();
    const outcome = await call.outcome;
    this.#slots.remove(call);
    if (this.#calls.get(callId) === call) this.#calls.delete(callId);
    this.stats.add('calls', -1);
    if (outcome.type === 'failed') this.stats.add('failed_calls', 1);
    return outcome;
  }

  isOccupied(slot: number): boolean {
    return this.#slots.isOccupied(slot);
  }

  sleep(milliseconds: number): void {
    this.#io.sleep(milliseconds);
  }

  tick(slot: number): void {
    this.#io.receive();
    this.#tickAwake(slot);
    this.#io.send();
    this.bells.ring(1 << slot);
  }

  #tickAwake(slot: number): void {
    const calls = this.#slots.awakeIn(slot);
    for (let i = 0; i < calls.length; i++) {
      const call = calls[i] as MediaCall;
      this.#tickCall(call);
      call.announceTick();
    }
  }

  /** Beats while the clock is stopped, as a thread with only resting calls is alive. */
  #round(): void {
    this.#precedence.look(threadCpuMs(), performance.now());
    if (!this.#clock.running) this.stats.beat();
    this.#tickResting();
  }

  /** Ticks the resting calls that are due. */
  #tickResting(): void {
    if (this.#slots.restingTurns === 0) return;
    this.#io.receive();
    for (let turns = this.#slots.restingTurns; turns > 0; turns--) {
      const call = this.#slots.nextResting();
      if (call !== undefined) this.#tickCall(call);
    }
    this.#io.send();
  }

  #tickCall(call: MediaCall): void {
    this.stats.enterCall(call.callNumber);
    try {
      call.tick();
    } catch (error) {
      call.fail(error);
    }
    this.stats.leaveCall();
  }

  #handle(command: Command): void {
    const call = this.#calls.get(command.callId);
    if (call === undefined) return;
    this.stats.enterCall(call.callNumber);
    try {
      call.handle(command);
    } catch (error) {
      call.fail(error);
    }
    this.stats.leaveCall();
    this.#slots.settle(call);
    if (!call.resting) this.#clock.wake();
  }

  #fault(error: unknown): void {
    this.stats.add('faults', 1);
    this.post({ type: 'worker.fault', error: toWireError(error) });
  }

  #ready(port: MessagePort): WorkerReady {
    return {
      type: 'worker.ready',
      version: PROTOCOL_VERSION,
      threadId,
      stats: this.stats.memory,
      ticked: this.bells.mainMemory,
      port,
    };
  }
}

/** CPU time of this thread since its start. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * Lets the engine thread run before all ordinary threads, for as long as it comes to rest again soon. An ordinary thread
 * that has run slightly more than its share waits, at its wake-up or in the middle of a tick, until the kernel's next timer
 * tick: up to 4 ms behind a thread that spins. An engine without a rest, because it has too many calls or polls for a
 * thread of V8 that it keeps from running, would starve the main thread that way, so it becomes ordinary then until a
 * later look.
 */
export class Precedence {
  readonly #precede: (cpuMs: number) => void;
  #cpuMs = 0;
  #atMs = 0;
  #calmLooks = 0;

  constructor(precede: (cpuMs: number) => void) {
    this.#precede = precede;
  }

  /** Takes the thread's CPU time so far. */
  look(cpuMs: number, nowMs: number): void {
    const isBusy = cpuMs - this.#cpuMs > MOST_OF_CORE * (nowMs - this.#atMs);
    this.#cpuMs = cpuMs;
    this.#atMs = nowMs;
    this.#calmLooks = isBusy ? 0 : this.#calmLooks + 1;
    if (this.#calmLooks >= CALM_LOOKS) this.#precede(BUDGET_MS);
  }
}
