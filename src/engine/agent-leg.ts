import type { Doorbell } from '../rings/doorbell.ts';
import type { DownlinkRing } from '../rings/packet-frame.ts';
import { NO_MARK } from '../rings/ring-consumer.ts';
import type { VoiceCodecs } from '../rtp/codecs/voice-codecs.ts';
import { CountedTotal, type EngineStats } from '../threads/engine-stats.ts';
import type { AgentPlacement, Event } from '../threads/protocol.ts';
import type { AgentBells } from './agent-bells.ts';
import { Egress } from './egress.ts';
import type { Party } from './mixer.ts';
import { OpusEgress } from './opus-egress.ts';
import { Playout } from './playout.ts';

/** The worker's services for an agent leg. */
export interface AgentLegHost {
  readonly callId: string;
  readonly roomRateHz: number;
  readonly stats: EngineStats;
  readonly codecs: VoiceCodecs;
  readonly bells: AgentBells;
  post(event: Event): void;
}

/** An agent as a party of the call's room. It speaks from its uplink ring and hears into its downlink ring. */
export class AgentLegParty implements Party {
  readonly legId: number;
  /** How the agent's audio is played. */
  readonly playout: Playout;
  /** The doorbell of the agent's thread. */
  readonly bell: Doorbell;
  readonly #host: AgentLegHost;
  #egress: Egress | OpusEgress | null = null;
  #clearsDue = 0;
  readonly #underruns = new CountedTotal('uplink_underruns');
  readonly #shortenedMs = new CountedTotal('uplink_shortened_ms');
  readonly #lengthenedMs = new CountedTotal('uplink_lengthened_ms');
  readonly #clearedMs: CountedTotal;
  #overruns = new CountedTotal('downlink_overruns');

  constructor(host: AgentLegHost, placement: AgentPlacement) {
    this.#host = host;
    this.legId = placement.legId;
    this.bell = host.bells.of(placement.bell);
    this.playout = new Playout(placement.uplink, host.roomRateHz);
    this.#clearedMs = new CountedTotal('cleared_ms', this.playout.droppedMs);
    this.listen(placement.downlink);
    if (placement.isHeld) this.playout.hold();
    for (const isHeld of placement.holds) this.hold(isHeld);
    for (const clear of placement.clears) this.clear(clear.position, clear.noteCount);
  }

  /** Whether the agent's thread waits for a tick: it has frames to fetch, or more speech than the ring holds. */
  get isAwaiting(): boolean {
    return this.#egress !== null || this.playout.isBehind;
  }

  /** Whether it listens to packets of Opus. */
  get hearsOpus(): boolean {
    return this.#egress instanceof OpusEgress;
  }

  listen(downlink: DownlinkRing | null): void {
    this.close();
    this.#overruns = new CountedTotal('downlink_overruns');
    this.#egress = downlink && this.#egressTo(downlink);
  }

  #egressTo(downlink: DownlinkRing): Egress | OpusEgress {
    const { roomRateHz, codecs } = this.#host;
    if (downlink.coding === 'opus') return new OpusEgress(downlink, roomRateHz, codecs);
    return new Egress(downlink, roomRateHz);
  }

  /** Hears nothing more. */
  close(): void {
    if (this.#egress instanceof OpusEgress) this.#egress.close();
    this.#egress = null;
  }

  clear(position: number, noteCount: number): void {
    this.playout.clear(position, noteCount);
    this.#clearsDue++;
    if (!this.playout.fading) this.#postCleared();
  }

  /** Holds what the agent says, or goes on with it. */
  hold(isHeld: boolean): void {
    if (isHeld) this.playout.hold();
    else this.playout.release();
    const { callId } = this.#host;
    const { leftMs: playedMs } = this.playout;
    this.#host.post({ type: 'agent.held', callId, legId: this.legId, isHeld, playedMs });
  }

  pull(frame: Int16Array): boolean {
    return this.playout.pull(frame);
  }

  push(frame: Int16Array, voiced: boolean, speaker: number): void {
    this.#egress?.push(frame, voiced, speaker);
  }

  /** Reports clears, marks and counters that became due when the tick's frames left. */
  afterTick(): void {
    if (this.#clearsDue > 0 && !this.playout.fading) this.#postCleared();
    for (let markId = this.playout.takeDueMark(); markId !== NO_MARK; markId = this.playout.takeDueMark()) {
      this.#host.post({ type: 'agent.mark', callId: this.#host.callId, legId: this.legId, markId });
    }
    this.#count();
  }

  #postCleared(): void {
    const { callId } = this.#host;
    const { playedMs, droppedMs } = this.playout;
    this.#clearedMs.count(this.#host.stats, droppedMs);
    while (this.#clearsDue > 0) {
      this.#clearsDue--;
      this.#host.post({ type: 'agent.cleared', callId, legId: this.legId, playedMs, droppedMs });
    }
  }

  #count(): void {
    const { stats } = this.#host;
    this.#underruns.count(stats, this.playout.underruns);
    this.#shortenedMs.count(stats, this.playout.shortenedMs);
    this.#lengthenedMs.count(stats, this.playout.lengthenedMs);
    if (this.#egress !== null) this.#overruns.count(stats, this.#egress.overruns);
  }
}
