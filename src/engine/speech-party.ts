import { FRAME_MS } from '../base/frame.ts';
import { Doorbell } from '../rings/doorbell.ts';
import { SpeechControl } from '../rings/speech-control.ts';
import type { SpeechRings } from '../rings/speech-rings.ts';
import { CountedTotal, type EngineStats } from '../threads/engine-stats.ts';
import type { Party } from './mixer.ts';
import type { PlatformLegParty } from './platform-leg.ts';
import { Playout } from './playout.ts';
import { type Depth, UNDERRUN_GAP_MS } from './playout-depth.ts';

/** Ticks between two rings while nothing changes: 40 ms of audio is the shortest chunk that a vendor takes. */
const RING_TICKS = 2;

const MAX_TARGET_MS = 120;

/** What a call's speech needs of the call. */
export interface SpeechPartyHost {
  readonly roomRateHz: number;
  readonly stats: EngineStats;
  readonly platform: Pick<PlatformLegParty, 'isTapped' | 'onHold' | 'noteGoingOn'>;
}

/**
 * Hosted speech as a party of the call's room. It speaks from a ring that a bridge thread fills, and hears nothing: the
 * platform's voices go to their taps. While the call is on hold, it waits.
 */
export class SpeechParty implements Party {
  readonly #host: SpeechPartyHost;
  readonly #playout: Playout;
  readonly #control: SpeechControl;
  readonly #doorbell: Doorbell;
  /** The stop that the bridge thread has agreed to, once the ring is empty. */
  #silenced: number | null = null;
  /** Something happened in this tick that the bridge thread waits for. */
  #hasNews = false;
  #wasVoiced = false;
  /** Ticks in a row in which something was spoken or heard. */
  #busyTicks = 0;
  readonly #underruns = new CountedTotal('uplink_underruns');

  constructor({ says, control, doorbell }: SpeechRings, host: SpeechPartyHost) {
    this.#host = host;
    this.#playout = new Playout(says, host.roomRateHz, new SpeechDepth());
    this.#control = new SpeechControl(control);
    this.#doorbell = new Doorbell(doorbell);
  }

  pull(frame: Int16Array): boolean {
    const { asked } = this.#control;
    if (asked !== this.#control.silenced) return this.#pullStopping(frame, asked);
    if (this.#control.isHeld) this.#playout.hold();
    else if (this.#playout.isHeld) this.#goOn();
    const voiced = !this.#host.platform.onHold && this.#playout.pull(frame);
    if (voiced !== this.#wasVoiced) this.#hasNews = true;
    this.#wasVoiced = voiced;
    return voiced;
  }

  push(): void {}

  #goOn(): void {
    this.#playout.release();
    this.#host.platform.noteGoingOn();
  }

  /** Wakes the bridge thread when the tick's frames have left. To wake it costs more than what it does then. */
  afterTick(): void {
    if (this.#silenced !== null) {
      this.#control.silence(this.#silenced, this.#playout.playedMs);
      this.#silenced = null;
    }
    this.#busyTicks = this.#wasVoiced || this.#host.platform.isTapped ? this.#busyTicks + 1 : 0;
    const isDue = this.#busyTicks > 0 && this.#busyTicks % RING_TICKS === 0;
    if (this.#hasNews || isDue) this.#doorbell.ring();
    this.#hasNews = false;
    this.#underruns.count(this.#host.stats, this.#playout.underruns);
  }

  /** Plays at most the fade-out. Until the bridge thread agrees, it may still write, so every tick empties the ring. */
  #pullStopping(frame: Int16Array, asked: number): boolean {
    const isAgreed = this.#control.agreed === asked;
    this.#playout.clearAll();
    const voiced = this.#playout.fading && this.#playout.pull(frame);
    if (isAgreed) this.#silenced = asked;
    this.#hasNews = true;
    return voiced;
  }
}

/**
 * Synthesized speech arrives faster than it is played. It therefore starts with its first frame, waits longer only after
 * the vendor has been late, and keeps its pace.
 */
class SpeechDepth implements Depth {
  targetMs = FRAME_MS;
  readonly isLive = false;
  readonly pace = 'usual';
  readonly offMs = 0;
  readonly isFarOff = false;

  resumed(gapMs: number): boolean {
    if (gapMs > UNDERRUN_GAP_MS) return false;
    this.targetMs = Math.min(MAX_TARGET_MS, this.targetMs + FRAME_MS);
    return true;
  }

  played(): void {}

  shortened(): void {}
}
