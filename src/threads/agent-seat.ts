import type { DownlinkRing } from '../rings/packet-frame.ts';
import type { AgentBell, AgentPlacement, CallCommand, ClearPoint } from './protocol.ts';

/** The part of a call that sends an agent's commands. */
export interface AgentSeatHost {
  send(command: CallCommand): void;
  left(seat: AgentSeat): void;
}

/** The agent's end of its rings, on whichever thread its socket is. It is told what the engine says about the agent. */
export interface AgentEnd {
  /** The call has ticked, with an agent whose bell is the main thread's. */
  doorbell(): void;
  /** The call ticks in this slot from now on, 0 to 19. */
  placed(slot: number): void;
  marked(markId: number): void;
  /** `playedMs` is a sum since the leg was created. */
  held(isHeld: boolean, playedMs: number): void;
  /** Sums since the leg was created. */
  cleared(playedMs: number, droppedMs: number): void;
}

/** Where an agent's end is. */
export interface AgentRings {
  readonly uplink: SharedArrayBuffer;
  /** Null: the main thread's. */
  readonly bell: AgentBell | null;
}

/** An agent in a call, as the main thread keeps it: all that a worker needs to run its leg, now or after a move. */
export class AgentSeat {
  readonly legId: number;
  readonly #host: AgentSeatHost;
  readonly #end: AgentEnd;
  readonly #rings: AgentRings;
  readonly #clears: ClearPoint[] = [];
  #isHeld = false;
  /** Not answered yet. */
  readonly #holds: boolean[] = [];
  #downlink: DownlinkRing | null = null;
  #hasLeft = false;

  constructor(legId: number, host: AgentSeatHost, end: AgentEnd, rings: AgentRings) {
    this.legId = legId;
    this.#host = host;
    this.#end = end;
    this.#rings = rings;
  }

  placement(): AgentPlacement {
    return {
      legId: this.legId,
      ...this.#rings,
      downlink: this.#downlink,
      clears: [...this.#clears],
      isHeld: this.#isHeld,
      holds: [...this.#holds],
    };
  }

  clear(point: ClearPoint): void {
    if (this.#hasLeft) return;
    this.#clears.push(point);
    this.#host.send({ type: 'agent.clear', legId: this.legId, point });
  }

  hold(isHeld: boolean): void {
    if (this.#hasLeft) return;
    this.#holds.push(isHeld);
    this.#host.send({ type: 'agent.hold', legId: this.legId, isHeld });
  }

  /** Null: the agent hears nothing more. */
  listen(downlink: DownlinkRing | null): void {
    if (this.#hasLeft) return;
    this.#downlink = downlink;
    this.#host.send({ type: 'agent.listen', legId: this.legId, downlink });
  }

  /** Leaves the call. The end is told nothing more. Safe to call twice. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#host.send({ type: 'agent.leave', legId: this.legId });
    this.#host.left(this);
  }

  doorbell(): void {
    this.#end.doorbell();
  }

  placed(slot: number): void {
    this.#end.placed(slot);
  }

  marked(markId: number): void {
    if (!this.#hasLeft) this.#end.marked(markId);
  }

  held(isHeld: boolean, playedMs: number): void {
    if (this.#holds.shift() === undefined || this.#hasLeft) return;
    this.#isHeld = isHeld;
    this.#end.held(isHeld, playedMs);
  }

  cleared(playedMs: number, droppedMs: number): void {
    const clear = this.#clears.shift();
    this.#isHeld = false;
    if (clear !== undefined && !this.#hasLeft) this.#end.cleared(playedMs, droppedMs);
  }
}
