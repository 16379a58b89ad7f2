import { SummingBus } from '../audio/summing-bus.ts';
import { assert } from '../base/assert.ts';
import { frameSamples } from '../base/frame.ts';
import { onePer } from '../base/one-per.ts';
import { wallMs } from '../base/wall-ms.ts';
import { MAX_VOICES, type MediaCounters, type MediaLeg, type Voice } from '../media/media-leg.ts';
import type { FrameRing } from '../rings/frame-ring.ts';
import type { SentLevel } from '../rings/sent-level.ts';
import { CountedTotal, type EngineCounter, type EngineStats } from '../threads/engine-stats.ts';
import type { AnswerListener } from './answer-listener.ts';
import { Egress } from './egress.ts';
import { LevelMeter } from './level-meter.ts';
import type { Party } from './mixer.ts';
import type { TurnMeter } from './turn-meter.ts';

type Totals = Omit<MediaCounters, 'delayMs'>;

/** The worker's counter for each counter of a leg. */
const COUNTERS = Object.entries({
  packetsReceived: 'packets_received',
  packetsSent: 'packets_sent',
  lost: 'packets_lost',
  late: 'packets_late',
  concealed: 'frames_concealed',
  droppedForDepth: 'packets_dropped',
  shortenedMs: 'shortened_ms',
  lengthenedMs: 'lengthened_ms',
  unsent: 'packets_unsent',
  overflowed: 'packets_overflowed',
} satisfies Record<keyof Totals, EngineCounter>) as [keyof Totals, EngineCounter][];

/** Where voices are summed before they enter the room, by sample rate. Legs use it one after another. */
const busFor = onePer((sampleRateHz) => new SummingBus(frameSamples(sampleRateHz), MAX_VOICES));

/** The platform's side of a call as one party of the room: the sum of its voices, which do not hear each other here. */
export class PlatformLegParty implements Party {
  readonly #leg: MediaLeg;
  readonly #stats: EngineStats;
  readonly #voices: readonly Voice[];
  /** The tap of each voice. Null for all when there is none, the usual case. */
  #taps: (Egress | null)[] | null = null;
  #sentLevel: SentLevel | null = null;
  readonly heardLevel = new LevelMeter();
  readonly pushedLevel = new LevelMeter();
  readonly #turns: TurnMeter;
  #listener: AnswerListener | null = null;
  /** The call is answered. What a far end sends before, and will not hear, is an announcement and no music on hold. */
  isAnswered = false;
  /** The leg's counters as last added to the statistics. */
  readonly #collected = COUNTERS.map(([, name]) => new CountedTotal(name));

  constructor(leg: MediaLeg, stats: EngineStats, turns: TurnMeter) {
    assert(leg.voices.length >= 1 && leg.voices.length <= MAX_VOICES, 'a media leg has 1 to 8 voices');
    this.#leg = leg;
    this.#stats = stats;
    this.#turns = turns;
    this.#voices = leg.voices;
    if (leg.voices.length > 1) busFor(leg.sampleRateHz);
  }

  get onHold(): boolean {
    return this.isAnswered && this.#leg.onHold;
  }

  get isTapped(): boolean {
    return this.#taps !== null;
  }

  /** Copies a voice into a ring from the next tick on; null ends that. Voices that the leg does not have are ignored. */
  tap(voice: number, ring: FrameRing | null): void {
    if (voice >= this.#voices.length) return;
    // Created here, because it compiles WebAssembly.
    busFor(this.#leg.sampleRateHz);
    const taps = this.#taps ?? this.#voices.map(() => null);
    taps[voice] = ring && new Egress(ring, this.#leg.sampleRateHz);
    this.#taps = taps.some((tap) => tap !== null) ? taps : null;
  }

  /** Notes from now on how loud the sent audio is, for those who listen to a tap. */
  noteSentTo(level: SentLevel): void {
    this.#sentLevel = level;
  }

  /** What is sent from now on is no answer: it goes on with what was held. */
  noteGoingOn(): void {
    this.#turns.goOn(wallMs());
  }

  /** Has the far end listened to, once it has answered. */
  listenBy(listener: AnswerListener): void {
    this.#listener = listener;
  }

  pull(frame: Int16Array): boolean {
    const isPlain = this.#voices.length === 1 && this.#taps === null;
    const voiced = isPlain ? (this.#voices[0] as Voice).pull(frame) : this.#pullVoices(frame);
    this.heardLevel.note(frame, voiced);
    if (this.isAnswered) this.#listener?.take(voiced ? frame : null);
    if (!voiced) return false;
    this.#stats.add('frames_in', 1);
    if (this.isAnswered && !this.#leg.onHold) this.#measureTurns(frame);
    return true;
  }

  push(frame: Int16Array, voiced: boolean): void {
    this.#leg.push(frame, voiced);
    this.pushedLevel.note(frame, voiced);
    if (!voiced) return;
    this.#stats.add('frames_out', 1);
    this.#turns.sent(frame, wallMs());
    if (this.#taps !== null) this.#sentLevel?.note(frame);
  }

  /** Of several voices, the one that came last has waited the least. */
  #measureTurns(frame: Int16Array): void {
    let latestMs: number | null = null;
    for (let i = 0; i < this.#voices.length; i++) {
      const atMs = (this.#voices[i] as Voice).arrivedAtMs;
      if (atMs !== null) latestMs = Math.max(latestMs ?? 0, atMs ?? wallMs());
    }
    if (latestMs !== null) this.#turns.heard(frame, latestMs);
  }

  /** Pulls every voice, copies it to its tap except on hold, and sums them all into `frame`. */
  #pullVoices(frame: Int16Array): boolean {
    const bus = busFor(this.#leg.sampleRateHz);
    const taps = this.onHold ? null : this.#taps;
    bus.clear();
    let heard = 0;
    for (let i = 0; i < this.#voices.length; i++) {
      const voiced = (this.#voices[i] as Voice).pull(bus.voice(i));
      taps?.[i]?.push(voiced ? bus.voice(i) : bus.silence, voiced);
      if (!voiced) continue;
      bus.add(i);
      heard++;
    }
    if (heard === 0) return false;
    bus.leaveOutNobody();
    frame.set(bus.rest);
    return true;
  }

  /** Adds the leg's counters since the last call, and its delay now, to the worker's statistics. */
  collectCounters(): void {
    const { counters } = this.#leg;
    if (counters.delayMs > 0) this.#stats.recordDelay(counters.delayMs);
    for (const [i, [counter]] of COUNTERS.entries())
      this.#collected[i]!.count(this.#stats, counters[counter]);
  }
}
