import type { RingCoding } from '../rings/packet-frame.ts';
import type { AgentEnd, AgentSeat } from './agent-seat.ts';
import { Downlink, type DownlinkReader } from './downlink.ts';
import type { QueueBudget } from './playout-budget.ts';
import { Uplink } from './uplink.ts';

/** Receives the audio and events of an agent leg. */
export interface AgentAudioObserver extends DownlinkReader {
  /** All audio sent before the mark has been played. */
  mark(markId: number): void;
  /**
   * Reports the end of a `clear`, once the last sample has left. The sums cover all audio sent since the previous
   * clear.
   */
  cleared(playedMs: number, droppedMs: number): void;
  /** Reports that the audio is held, or goes on, and how much has been played since the previous clear. */
  held(isHeld: boolean, playedMs: number): void;
  /** The newest audio sent was dropped because 70 s are already queued or the memory limit is reached. */
  overflow(lostMs: number): void;
}

/** Audio of an agent in a call, in both directions. No method throws or blocks. */
export interface AgentAudio {
  /** Milliseconds sent but not yet played. */
  readonly queuedMs: number;
  /** Appends a copy of any number of samples to the agent's speech. */
  write(samples: Int16Array, sampleRateHz: number): void;
  /** Requests a `mark` callback with this id (0 and up) when all audio sent so far has been played. */
  mark(markId: number): void;
  /** Drops audio that has not been played. The observer's `cleared` follows. */
  clear(): void;
  /**
   * Holds what has not been played, or goes on with it; the observer's `held` follows. A clear goes on, too: what is
   * written after it is played.
   */
  hold(isHeld: boolean): void;
  /** Starts listening, or changes the rate or the coding; a null rate stops listening. Packets of Opus have no rate. */
  listen(sampleRateHz: number | null, coding?: RingCoding): void;
  /** Leaves the call. No callbacks follow. Safe to call twice. */
  close(): void;
}

/** What an end asks of the agent's seat. */
export type SeatCommands = Pick<AgentSeat, 'clear' | 'hold' | 'listen' | 'leave'>;

/** The agent's end of its rings, on the thread of its socket. It takes part once it has a seat. */
export class AgentLink implements AgentAudio, AgentEnd {
  readonly #observer: AgentAudioObserver;
  readonly #uplink: Uplink;
  #seat: SeatCommands | null = null;
  #downlink: Downlink | null = null;
  /** What each clear that is not answered yet has dropped before the ring. */
  readonly #backlogsMs: number[] = [];
  #toldPlayedMs = 0;
  #toldDroppedMs = 0;
  #closed = false;

  /** `memory` limits the audio queued for playing. */
  constructor(observer: AgentAudioObserver, memory: QueueBudget) {
    this.#observer = observer;
    this.#uplink = new Uplink(memory);
  }

  get queuedMs(): number {
    return this.#uplink.queuedMs;
  }

  get uplinkMemory(): SharedArrayBuffer {
    return this.#uplink.memory;
  }

  /** Call it before anything else. */
  sit(seat: SeatCommands): this {
    this.#seat = seat;
    return this;
  }

  write(samples: Int16Array, sampleRateHz: number): void {
    if (this.#closed || samples.length === 0) return;
    const lostMs = this.#uplink.write(samples, sampleRateHz);
    if (lostMs > 0) this.#observer.overflow(Math.ceil(lostMs));
  }

  mark(markId: number): void {
    if (!this.#closed && !this.#uplink.mark(markId)) this.#observer.overflow(0);
  }

  clear(): void {
    if (this.#closed) return;
    const { point, backlogMs } = this.#uplink.clear();
    this.#backlogsMs.push(backlogMs);
    this.#seat?.clear(point);
  }

  hold(isHeld: boolean): void {
    if (!this.#closed) this.#seat?.hold(isHeld);
  }

  listen(sampleRateHz: number | null, coding: RingCoding = 'pcm'): void {
    if (this.#closed) return;
    const wanted = sampleRateHz === null ? null : new Downlink(sampleRateHz, coding);
    const present = this.#downlink;
    if (wanted?.sampleRateHz === present?.sampleRateHz && wanted?.coding === present?.coding) return;
    this.#downlink = wanted;
    this.#seat?.listen(wanted?.ring ?? null);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#uplink.clear();
    this.#seat?.leave();
  }

  /** Moves audio both ways after a tick of the call. */
  doorbell(): void {
    this.#uplink.advance();
    this.#downlink?.drain(this.#observer);
  }

  /** AgentEnd: whoever rings knows the slot. */
  placed(): void {}

  marked(markId: number): void {
    if (!this.#closed) this.#observer.mark(markId);
  }

  held(isHeld: boolean, playedMs: number): void {
    if (!this.#closed) this.#observer.held(isHeld, Math.max(0, Math.round(playedMs - this.#toldPlayedMs)));
  }

  cleared(playedMs: number, droppedMs: number): void {
    const backlogMs = this.#backlogsMs.shift() ?? 0;
    if (this.#closed) return;
    const played = playedMs - this.#toldPlayedMs;
    const dropped = droppedMs - this.#toldDroppedMs + backlogMs;
    this.#toldPlayedMs = playedMs;
    this.#toldDroppedMs = droppedMs;
    const playedWhole = Math.round(played);
    this.#observer.cleared(playedWhole, Math.max(0, Math.round(played + dropped) - playedWhole));
  }
}
