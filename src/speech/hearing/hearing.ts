import { assert } from '../../base/assert.ts';
import { FRAME_MS, frameSamples } from '../../base/frame.ts';
import type { RecognizedLine } from '../../base/speech.ts';
import type { Clock } from '../../base/time.ts';
import type { FrameRing } from '../../rings/frame-ring.ts';
import type { SentLevel } from '../../rings/sent-level.ts';
import { isTemporary, type SpeechFault } from '../speech-fault.ts';
import { Ear } from './ear.ts';
import type { Verdict } from './interjection.ts';
import type { Interruption } from './interruption.ts';
import { type ConnectRecognizer, Listening, type ListeningObserver } from './listening.ts';
import type { SuppressedVoice } from './noise-suppression.ts';
import type { NewVoiceDetector } from './voice-detector.ts';

/** Voices that are listened to by themselves. Those beyond are mixed. */
const MAX_LISTENED = 4;
const QUIET_MS = 30_000;
/** People pause for less than this between sentences. */
const PAUSE_MS = 2_000;
/** After a vendor has given up. */
const RETRY_MS = 10_000;
/** The speaker of what several say at once. */
const MIXED_SPEAKER = 'others';

/** `failed`: nobody listens, because the recognizer has failed. */
export type UnheardReason = 'not_understood' | 'failed';

export interface HearingDeps {
  /** One for each voice, all at one rate. */
  readonly taps: readonly FrameRing[];
  /** The only voice's speaker: it is listened to without pause. Null: each voice while it speaks. */
  readonly speaker: string | null;
  /** How loud the call is for these voices, whose echo is not speech. */
  readonly sent: Pick<SentLevel, 'take'>;
  /** Whether an utterance is played that somebody may interrupt. */
  readonly isInterruptible: () => boolean;
  readonly interruption: Interruption;
  /** Null: nobody understands the voices. They are heard only to know when they speak. */
  readonly connect: ConnectRecognizer | null;
  /** Takes the noise from one more voice. Null: there is no room, or nobody wants it. */
  readonly suppress: (rateHz: number) => SuppressedVoice | null;
  readonly newDetector: NewVoiceDetector;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

export interface HearingObserver extends Pick<ListeningObserver, 'reconnected'> {
  interim(line: RecognizedLine): void;
  heard(line: RecognizedLine): void;
  /** Somebody has started or stopped speaking; `isVendor`: their recognizer says so. */
  activity(speaker: string, state: 'started' | 'ended', isVendor: boolean): void;
  /** Somebody has spoken, and nothing of it was understood. */
  unheard(speaker: string, reason: UnheardReason): void;
  /** Somebody speaks over the utterance, and may want the turn. It should pause. */
  paused(): void;
  /** They did not want it. It should go on. */
  resumed(): void;
  /** Somebody has spoken over the utterance for long enough. It should stop. */
  interrupted(): void;
  fault(fault: SpeechFault): void;
  missed(missedMs: number): void;
}

/** Listens to what is said on a call by others. A vendor's session lasts as long as its speaker is not long silent. */
export class Hearing {
  readonly #deps: HearingDeps;
  readonly #observer: HearingObserver;
  readonly #rateHz: number;
  readonly #ears: readonly Ear[];
  readonly #mixed: MixedVoices;
  #mixedListening: Listening | null = null;
  #mixedMs = 0;
  /** Those for whom an utterance is held. */
  readonly #holders = new Set<Ear>();
  readonly #closing = new Set<Promise<void>>();
  #retryAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(deps: HearingDeps, observer: HearingObserver) {
    this.#deps = deps;
    this.#observer = observer;
    const rateHz = deps.taps[0]?.sampleRateHz ?? 0;
    this.#rateHz = rateHz;
    this.#mixed = new MixedVoices(frameSamples(rateHz));
    this.#ears = deps.taps.map((tap, voice) => {
      const { speaker, interruption } = deps;
      return new Ear(voice, tap, { speaker, interruption, detector: deps.newDetector(rateHz) });
    });
  }

  /** Takes what was heard since the last time. Call it on every ring of the doorbell, and once a second at least. */
  look(): void {
    if (this.#isClosed) return;
    // It counts for all frames that have waited: each may be its echo.
    const sentPower = this.#deps.sent.take();
    while (this.#hearFrame(sentPower)) this.#listenToMixed();
    if (this.#deps.connect !== null) for (const ear of this.#ears) this.#awaitWords(ear);
    this.#closeQuiet();
    const lost = this.#ears.reduce((sum, ear) => sum + ear.takeLost(), 0);
    if (lost > 0) this.#observer.missed(lost * FRAME_MS);
  }

  /** Who a voice belongs to from now on. */
  name(voice: number, speaker: string): void {
    const ear = this.#ears[voice];
    if (ear === undefined || ear.speaker === speaker) return;
    if (ear.speaker !== null) this.#closeEar(ear);
    else if (ear.listening !== null) ear.listening.speaker = speaker;
    ear.speaker = speaker;
  }

  /** Resolves when all results have been reported, within 2 s. Safe to call twice. */
  async close(): Promise<void> {
    if (!this.#isClosed) this.#closeAll();
    await Promise.all(this.#closing);
  }

  #closeAll(): void {
    this.#isClosed = true;
    this.#close(this.#mixedListening);
    for (const ear of this.#ears) {
      this.#closeEar(ear);
      ear.close();
    }
  }

  /** Takes a frame of each voice that has one. Returns false when none has. */
  #hearFrame(sentPower: number): boolean {
    let heard = false;
    for (const ear of this.#ears) {
      if (!ear.next()) continue;
      heard = true;
      ear.sent(sentPower);
      this.#hear(ear);
    }
    return heard;
  }

  #hear(ear: Ear): void {
    const change = ear.detectChange();
    if (change !== null) this.#changed(ear, change, false);
    if (change === 'ended') ear.listening?.paused();
    if (this.#pauses) this.#follow(ear, ear.interject(this.#deps.isInterruptible()));
    else if (ear.wantsTurn(this.#deps.isInterruptible())) this.#observer.interrupted();
    if (this.#deps.connect !== null) this.#listen(ear);
  }

  /** Gives the frame that was read to who understands it. */
  #listen(ear: Ear): void {
    const isWanted = ear.isSpeaking || this.#deps.speaker !== null;
    if (isWanted) ear.activeMs = this.#nowMs();
    if (ear.listening?.isOpen) return ear.listening.hear(ear.frame);
    ear.listening = null;
    if (isWanted && this.#nowMs() >= this.#retryAtMs) this.#listenTo(ear);
    else ear.recent.keep(ear.frame);
  }

  #changed(ear: Ear, change: 'started' | 'ended', isVendor: boolean): void {
    if (change === 'started') {
      ear.awaited.started(ear.heardMs);
      ear.isTurnTold = false;
    } else ear.awaited.stopped(this.#nowMs());
    this.#observer.activity(ear.name, change, isVendor);
  }

  #awaitWords(ear: Ear): void {
    if (!ear.awaited.giveUp(this.#nowMs())) return;
    const isHeard = ear.listening?.isOpen || this.#mixedListening?.isOpen;
    this.#observer.unheard(ear.name, isHeard ? 'not_understood' : 'failed');
  }

  /** Who has no listener of their own is heard among others. */
  #heard(listening: Listening, line: RecognizedLine): void {
    for (const { listening: own, awaited } of this.#ears)
      if (own === listening || (own === null && listening === this.#mixedListening))
        awaited.understood(line.endMs);
    this.#understood(listening, line, true);
    this.#observer.heard(line);
  }

  #listenTo(ear: Ear): void {
    if (!this.#makePlace()) return this.#addToMixed(ear);
    const listening = this.#listening(ear.name, ear.heardMs - FRAME_MS - ear.recent.lengthMs);
    ear.listening = listening;
    ear.recent.take((frame) => listening.hear(frame));
    listening.hear(ear.frame);
  }

  /** When all places are taken, the voice that is silent the longest gives up its own. */
  #makePlace(): boolean {
    const listened = this.#ears.filter(({ listening }) => listening?.isOpen);
    if (listened.length < MAX_LISTENED) return true;
    const [silent] = listened
      .filter(({ activeMs }) => this.#nowMs() - activeMs >= PAUSE_MS)
      .sort((one, other) => one.activeMs - other.activeMs);
    if (silent === undefined) return false;
    this.#closeEar(silent);
    return true;
  }

  #addToMixed(ear: Ear): void {
    this.#mixed.add(ear.frame);
    ear.recent.forget();
  }

  #listenToMixed(): void {
    if (this.#mixed.isEmpty && this.#mixedListening === null) return;
    if (!this.#mixed.isEmpty) this.#mixedMs = this.#nowMs();
    if (!this.#mixedListening?.isOpen)
      this.#mixedListening =
        this.#nowMs() < this.#retryAtMs
          ? null
          : this.#listening(MIXED_SPEAKER, (this.#ears[0]?.heardMs ?? 0) - FRAME_MS);
    this.#mixed.take((frame) => this.#mixedListening?.hear(frame));
  }

  #listening(speaker: string, fromMs: number): Listening {
    const { connect, clock, suppress } = this.#deps;
    assert(connect !== null, 'nobody understands the voices');
    const suppressed = suppress(this.#rateHz);
    return new Listening(
      speaker,
      { rateHz: this.#rateHz, fromMs, connect, clock, suppressed },
      this.#listener,
    );
  }

  /** Who else speaks over an utterance keeps it paused. */
  #follow(ear: Ear, verdict: Verdict | null): void {
    if (verdict === null) return;
    if (verdict === 'pause') {
      this.#holders.add(ear);
      return this.#observer.paused();
    }
    const isPlaying = this.#holders.size > 0 || this.#deps.isInterruptible();
    this.#holders.delete(ear);
    if (verdict === 'resume') return this.#holders.size === 0 ? this.#observer.resumed() : undefined;
    for (const each of this.#ears) each.interjection.forget();
    this.#holders.clear();
    // Words may come after the utterance is over.
    if (isPlaying) this.#observer.interrupted();
  }

  /** Words over an utterance stop it, unless they are those of a listener. */
  #understood(listening: Listening, { text, endMs }: RecognizedLine, isFinal: boolean): void {
    const ear = this.#ears.find((each) => each.listening === listening);
    if (this.#pauses && ear !== undefined)
      this.#follow(ear, ear.interjection.understood(text, isFinal, endMs));
  }

  /** A vendor's word counts at once: it has heard a turn, not only a voice. */
  #turned(listening: Listening, state: 'started' | 'ended'): void {
    const ear = this.#ears.find((each) => each.listening === listening);
    if (ear === undefined) return;
    const change = ear.turn(state);
    // It may have fallen silent before.
    if (change !== null) this.#changed(ear, change, true);
    else if (state === 'ended' && !ear.isTurnTold) this.#observer.activity(ear.name, state, true);
    if (state === 'ended') ear.isTurnTold = true;
    const isOver = ear.isSpeaking && ear.isOver(this.#deps.isInterruptible());
    if (state === 'ended' || !isOver) return;
    if (this.#pauses) this.#follow(ear, ear.interjection.begin(ear.heardMs));
    else this.#observer.interrupted();
  }

  readonly #listener: ListeningObserver = {
    turn: (listening, state) => this.#turned(listening, state),
    heard: (listening, line) => this.#heard(listening, line),
    interim: (listening, line) => {
      this.#understood(listening, line, false);
      this.#observer.interim(line);
    },
    disconnected: (fault) => this.#observer.fault(fault),
    reconnected: () => this.#observer.reconnected(),
    failed: (fault) => {
      const retryAtMs = isTemporary(fault) ? this.#nowMs() + RETRY_MS : Number.POSITIVE_INFINITY;
      this.#retryAtMs = Math.max(this.#retryAtMs, retryAtMs);
      this.#observer.fault(fault);
    },
  };

  #closeQuiet(): void {
    const quietSince = this.#nowMs() - QUIET_MS;
    for (const ear of this.#ears) if (ear.activeMs <= quietSince) this.#closeEar(ear);
    if (this.#mixedMs > quietSince) return;
    this.#close(this.#mixedListening);
    this.#mixedListening = null;
  }

  #closeEar(ear: Ear): void {
    this.#close(ear.listening);
    // Its last results come under the name that it had.
    ear.awaited.understood(null);
    ear.listening = null;
  }

  #close(listening: Listening | null): void {
    if (listening === null) return;
    const closed: Promise<void> = listening
      .close()
      // What cannot be ended in the vendor's way is over all the same.
      .catch(() => {})
      .finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  get #pauses(): boolean {
    return this.#deps.interruption.how === 'pause';
  }

  #nowMs(): number {
    return this.#deps.clock.monotonicMs();
  }
}

const MAX = 32_767;
const MIN = -32_768;

/** The sum of voices that have no listener of their own. */
class MixedVoices {
  readonly #frame: Int16Array;
  #isEmpty = true;

  constructor(frameSamples: number) {
    this.#frame = new Int16Array(frameSamples);
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  add(frame: Int16Array): void {
    const sum = this.#frame;
    for (let i = 0; i < sum.length; i++)
      sum[i] = Math.max(MIN, Math.min(MAX, (sum[i] as number) + (frame[i] as number)));
    this.#isEmpty = false;
  }

  /** Gives the frame, silence when nothing was added, and begins the next one. */
  take(give: (frame: Int16Array) => void): void {
    give(this.#frame);
    this.#frame.fill(0);
    this.#isEmpty = true;
  }
}
