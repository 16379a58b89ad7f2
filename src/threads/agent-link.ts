import { Downlink } from './downlink.ts';
import type { QueueMemory } from './playout-memory.ts';
import type { AgentPlacement, ClearPoint, Command } from './protocol.ts';
import { Uplink } from './uplink.ts';

/** What an agent leg tells its owner. */
export interface AgentAudioObserver {
  /**
   * One 20 ms frame of what the agent hears: 16-bit little-endian mono at the rate it listens at, mix-minus.
   * Valid during the call only. False: it cannot be taken now; it is offered again until it is 200 ms old.
   */
  frame(pcm: Uint8Array): boolean;
  /** Calls `give` at once, which offers several frames: they may go out together. */
  cork(give: () => void): void;
  /** All audio sent before the mark has been played. */
  mark(markId: number): void;
  /** Answers `clear` when the last sample has left: everything sent since the former clear was either. */
  cleared(playedMs: number, droppedMs: number): void;
  /** The oldest audio was dropped because frames were not taken for 200 ms. */
  overrun(lostMs: number): void;
  /** The newest audio sent was dropped because 70 s of it wait already, or there is no memory for more. */
  overflow(lostMs: number): void;
}

/** An agent's voice and ear in a call. Nothing here throws or waits. */
export interface AgentAudio {
  /** Milliseconds sent and not yet played. */
  readonly queuedMs: number;
  /** Appends samples of any number to what the agent says; they are copied. */
  write(samples: Int16Array, sampleRateHz: number): void;
  /** Asks to be told, by this id (0 and up), when all audio sent so far has been played. */
  mark(markId: number): void;
  /** Drops what has not been played; `cleared` follows. */
  clear(): void;
  /** Begins, changes or (null) ends listening. */
  listen(sampleRateHz: number | null): void;
  /** Leaves the call; nothing is told afterwards. Safe to call twice. */
  close(): void;
}

/** The call's side that carries an agent's commands. */
export interface AgentLinkHost {
  readonly callId: string;
  send(command: Command): void;
  left(agent: AgentLink): void;
}

/** Main's end of an agent leg. */
export class AgentLink implements AgentAudio {
  readonly legId: number;
  readonly #host: AgentLinkHost;
  readonly #observer: AgentAudioObserver;
  readonly #uplink: Uplink;
  readonly #clears: { readonly point: ClearPoint; readonly backlogMs: number }[] = [];
  #downlink: Downlink | null = null;
  #toldPlayedMs = 0;
  #toldDroppedMs = 0;
  #closed = false;

  /** `memory`: for what waits to be played. */
  constructor(legId: number, host: AgentLinkHost, observer: AgentAudioObserver, memory: QueueMemory) {
    this.legId = legId;
    this.#uplink = new Uplink(memory);
    this.#host = host;
    this.#observer = observer;
  }

  get queuedMs(): number {
    return this.#uplink.queuedMs;
  }

  /** All that a worker must know to carry this leg. */
  placement(): AgentPlacement {
    const downlink = this.#downlink;
    return {
      legId: this.legId,
      uplink: this.#uplink.memory,
      downlink: downlink && { sampleRateHz: downlink.sampleRateHz, memory: downlink.memory },
      clears: this.#clears.map(({ point }) => point),
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
    const { callId } = this.#host;
    this.#host.send({ type: 'agent.clear', callId, legId: this.legId, point: clear.point });
  }

  listen(sampleRateHz: number | null): void {
    if (this.#closed || sampleRateHz === (this.#downlink?.sampleRateHz ?? null)) return;
    this.#downlink = sampleRateHz === null ? null : new Downlink(sampleRateHz);
    const { callId } = this.#host;
    const { downlink } = this.placement();
    this.#host.send({ type: 'agent.listen', callId, legId: this.legId, downlink });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#uplink.clear();
    this.#host.send({ type: 'agent.leave', callId: this.#host.callId, legId: this.legId });
    this.#host.left(this);
  }

  /** The call has had its tick: carries audio both ways. */
  doorbell(): void {
    this.#uplink.advance();
    this.#downlink?.drain(this.#observer);
  }

  marked(markId: number): void {
    if (!this.#closed) this.#observer.mark(markId);
  }

  /** `playedMs` and `droppedMs` are sums since the leg began. */
  cleared(playedMs: number, droppedMs: number): void {
    const clear = this.#clears.shift();
    if (clear === undefined || this.#closed) return;
    const played = playedMs - this.#toldPlayedMs;
    const dropped = droppedMs - this.#toldDroppedMs + clear.backlogMs;
    this.#toldPlayedMs = playedMs;
    this.#toldDroppedMs = droppedMs;
    const playedWhole = Math.round(played);
    this.#observer.cleared(playedWhole, Math.max(0, Math.round(played + dropped) - playedWhole));
  }
}
