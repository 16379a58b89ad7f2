import type { RingCoding } from '../rings/packet-frame.ts';
import { Downlink, type DownlinkReader } from './downlink.ts';
import type { QueueBudget } from './playout-budget.ts';
import type { AgentPlacement, CallCommand, ClearPoint } from './protocol.ts';
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

/** The part of a call that sends an agent's commands. */
export interface AgentLinkHost {
  send(command: CallCommand): void;
  left(agent: AgentLink): void;
}

/** The main thread's end of an agent leg. */
export class AgentLink implements AgentAudio {
  readonly legId: number;
  readonly #host: AgentLinkHost;
  readonly #observer: AgentAudioObserver;
  readonly #uplink: Uplink;
  readonly #clears: { readonly point: ClearPoint; readonly backlogMs: number }[] = [];
  #isHeld = false;
  /** Not answered yet. */
  readonly #holds: boolean[] = [];
  #downlink: Downlink | null = null;
  #toldPlayedMs = 0;
  #toldDroppedMs = 0;
  #closed = false;

  /** Creates the leg; `memory` limits the audio queued for playing. */
  constructor(legId: number, host: AgentLinkHost, observer: AgentAudioObserver, memory: QueueBudget) {
    this.legId = legId;
    this.#uplink = new Uplink(memory);
    this.#host = host;
    this.#observer = observer;
  }

  get queuedMs(): number {
    return this.#uplink.queuedMs;
  }

  /** Returns everything a worker needs to run this leg. */
  placement(): AgentPlacement {
    const downlink = this.#downlink;
    return {
      legId: this.legId,
      uplink: this.#uplink.memory,
      downlink: downlink && {
        sampleRateHz: downlink.sampleRateHz,
        memory: downlink.memory,
        coding: downlink.coding,
      },
      clears: this.#clears.map(({ point }) => point),
      isHeld: this.#isHeld,
      holds: [...this.#holds],
    };
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
    const clear = this.#uplink.clear();
    this.#clears.push(clear);
    this.#host.send({ type: 'agent.clear', legId: this.legId, point: clear.point });
  }

  hold(isHeld: boolean): void {
    if (this.#closed) return;
    this.#holds.push(isHeld);
    this.#host.send({ type: 'agent.hold', legId: this.legId, isHeld });
  }

  listen(sampleRateHz: number | null, coding: RingCoding = 'pcm'): void {
    if (this.#closed) return;
    const wanted = sampleRateHz === null ? null : new Downlink(sampleRateHz, coding);
    const present = this.#downlink;
    if (wanted?.sampleRateHz === present?.sampleRateHz && wanted?.coding === present?.coding) return;
    this.#downlink = wanted;
    const { downlink } = this.placement();
    this.#host.send({ type: 'agent.listen', legId: this.legId, downlink });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#uplink.clear();
    this.#host.send({ type: 'agent.leave', legId: this.legId });
    this.#host.left(this);
  }

  /** Moves audio both ways after a tick of the call. */
  doorbell(): void {
    this.#uplink.advance();
    this.#downlink?.drain(this.#observer);
  }

  marked(markId: number): void {
    if (!this.#closed) this.#observer.mark(markId);
  }

  /** Reports the answer to a hold. `playedMs` is a sum since the leg was created. */
  held(isHeld: boolean, playedMs: number): void {
    if (this.#holds.shift() === undefined || this.#closed) return;
    this.#isHeld = isHeld;
    this.#observer.held(isHeld, Math.max(0, Math.round(playedMs - this.#toldPlayedMs)));
  }

  /** Reports the end of a clear. `playedMs` and `droppedMs` are sums since the leg was created. */
  cleared(playedMs: number, droppedMs: number): void {
    const clear = this.#clears.shift();
    this.#isHeld = false;
    if (clear === undefined || this.#closed) return;
    const played = playedMs - this.#toldPlayedMs;
    const dropped = droppedMs - this.#toldDroppedMs + clear.backlogMs;
    this.#toldPlayedMs = playedMs;
    this.#toldDroppedMs = droppedMs;
    const playedWhole = Math.round(played);
    this.#observer.cleared(playedWhole, Math.max(0, Math.round(played + dropped) - playedWhole));
  }
}
