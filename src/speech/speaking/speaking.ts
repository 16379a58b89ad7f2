import type { Clock } from '../../base/time.ts';
import { wallMs } from '../../base/wall-ms.ts';
import type { SpeechRings } from '../../rings/speech-rings.ts';
import { isTemporary, type SpeechFault } from '../speech-fault.ts';
import type { SaidUtterance, UtteranceReport } from '../transport/speech-protocol.ts';
import type { AlignedPart, Synthesizer, SynthesizerObserver } from '../tts/synthesizer.ts';
import { SpeechOutput } from './speech-output.ts';
import { Utterance } from './utterance.ts';

/** A piece of text is asked for when less than this is left to play: enough for a slow vendor, little to pay in vain. */
const LOOKAHEAD_MS = 5_000;
/** A vendor that sends nothing for this long, with nothing left to play, has failed. */
const STALL_MS = 10_000;
/** The engine takes audio every 20 ms while it plays. */
const PLAYING_MS = 100;
/** After this time without the engine's answer to a stop, what was heard is taken from the ring. */
const SILENCE_MS = 1_000;

/** Cuts a text into pieces that a vendor speaks well by themselves: whole sentences, of bounded length. Some may be blank. */
export type SplitText = (text: string) => readonly string[];

export interface SpeakingDeps {
  readonly rings: SpeechRings;
  readonly connect: (observer: SynthesizerObserver) => Synthesizer;
  readonly split: SplitText;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

export interface SpeakingObserver {
  utterance(report: UtteranceReport): void;
  fault(fault: SpeechFault): void;
  reconnected(): void;
}

/** A stop that the engine still has to answer. */
interface PendingStop {
  /** What it has cut off. */
  readonly utterances: readonly Utterance[];
  /** Samples that the engine had taken, in case it does not answer. */
  readonly played: number;
  readonly atMs: number;
}

/**
 * What the gateway says on a call: utterances, one after the other. It asks the vendor for one piece of text at a time
 * and passes on the audio.
 */
export class Speaking implements SynthesizerObserver {
  readonly #deps: SpeakingDeps;
  readonly #observer: SpeakingObserver;
  readonly #output: SpeechOutput;
  /** Null after the vendor has ended the session, until something is to be said. */
  #synthesizer: Synthesizer | null;
  #queue: Utterance[] = [];
  /** Samples of utterances that are over, since the last stop. */
  #done = 0;
  /** What the engine had taken when it was looked at last, and when it last took some. */
  #playedSeen = 0;
  #playedAtMs = Number.NEGATIVE_INFINITY;
  /** The first one empties the ring of an earlier transport. */
  #stop: PendingStop | null;
  /** The last one that was told. */
  #fault: SpeechFault | null = null;

  constructor(deps: SpeakingDeps, observer: SpeakingObserver) {
    this.#deps = deps;
    this.#observer = observer;
    this.#synthesizer = deps.connect(this);
    this.#output = new SpeechOutput(deps.rings, this.#synthesizer.format);
    this.#stop = { utterances: [], played: 0, atMs: this.#nowMs() };
  }

  say(said: SaidUtterance): void {
    if (this.#output.mustStop) this.#beginStop();
    const pieces = this.#deps.split(said.text).filter((piece) => piece.trim() !== '');
    const utterance = new Utterance(said, pieces);
    if (said.generation === this.#output.generation) this.#queue.push(utterance);
    else this.#cutLate(utterance);
    this.look();
  }

  /** Whether an utterance is played now. */
  get isPlaying(): boolean {
    const isStarted = this.#stop === null && this.#queue[0]?.isStarted === true;
    return isStarted && this.#nowMs() - this.#playedAtMs <= PLAYING_MS;
  }

  /** Holds what is played, if anything is. */
  pause(): void {
    if (this.isPlaying && !this.#output.mustStop) this.#output.hold();
  }

  /** Goes on where it was paused. */
  resume(): void {
    this.#output.release();
  }

  /** Drops everything said so far, as a stop by the main thread does. */
  interrupt(): void {
    this.#output.askStop();
    this.look();
  }

  /** Follows what has been played and stopped. Call it on every ring of the doorbell, and once a second at least. */
  look(): void {
    if (this.#output.mustStop) this.#beginStop();
    if (this.#stop !== null) this.#followStop(this.#stop);
    this.#output.advance();
    if (this.#stop === null) this.#followPlaying();
    this.#failStalled();
    this.#askNext();
  }

  audio(utteranceId: string, data: Uint8Array): void {
    const utterance = this.#open(utteranceId);
    if (utterance === undefined) return;
    const count = this.#output.append(data);
    utterance.audioMs ??= wallMs();
    utterance.appended += count;
    utterance.activeMs = this.#nowMs();
    if (count === 0 && data.length > 1)
      this.#abandon(utterance, { kind: 'refused', words: 'The vendor sent more audio than a text can have' });
    this.look();
  }

  aligned(utteranceId: string, parts: readonly AlignedPart[]): void {
    this.#open(utteranceId)?.align(parts);
  }

  ended(utteranceId: string): void {
    const utterance = this.#open(utteranceId);
    if (utterance === undefined) return;
    utterance.isWhole = true;
    if (utterance.appended === 0)
      this.#fail(utterance, { kind: 'refused', words: 'The vendor sent no audio' });
    this.look();
  }

  failed(utteranceId: string | null, fault: SpeechFault): void {
    if (utteranceId === null) this.#endSession(fault);
    else {
      const utterance = this.#open(utteranceId);
      if (utterance !== undefined) this.#fail(utterance, fault);
    }
    this.look();
  }

  /** An utterance that failed with the connection has told of the fault already. */
  disconnected(fault: SpeechFault): void {
    if (fault !== this.#fault) this.#tell(fault);
  }

  reconnected(): void {
    this.#observer.reconnected();
  }

  /** Ends the vendor's session, within 2 s. */
  async close(): Promise<void> {
    const synthesizer = this.#synthesizer;
    this.#synthesizer = null;
    this.#queue = [];
    await synthesizer?.close();
  }

  /** The utterance that still expects audio. Whatever else the vendor sends is late. */
  #open(utteranceId: string): Utterance | undefined {
    return this.#queue.find((each) => each.utteranceId === utteranceId && !each.isWhole);
  }

  /** Silent locally first; then the vendor is told. */
  #beginStop(): void {
    const { played } = this.#output;
    this.#output.stop();
    const cut = this.#queue;
    this.#queue = [];
    const former = this.#stop;
    this.#stop =
      former === null
        ? { utterances: cut, played, atMs: this.#nowMs() }
        : { ...former, utterances: [...former.utterances, ...cut] };
    for (const { isAsked, isWhole, utteranceId } of cut)
      if (isAsked && !isWhole) this.#synthesizer?.cancel(utteranceId);
  }

  /** Cuts an utterance that arrives after a stop but was said before it. It is reported after those that the stop has cut. */
  #cutLate(utterance: Utterance): void {
    if (this.#stop === null) this.#report(utterance, 'interrupted', 0);
    else this.#stop = { ...this.#stop, utterances: [...this.#stop.utterances, utterance] };
  }

  #followStop(stop: PendingStop): void {
    if (this.#output.isSilenced) {
      this.#stop = null;
      this.#reportCut(stop.utterances, this.#output.restart());
      this.#done = 0;
    } else if (stop.utterances.length > 0 && this.#nowMs() - stop.atMs >= SILENCE_MS) {
      this.#stop = { ...stop, utterances: [] };
      this.#reportCut(stop.utterances, stop.played);
    }
  }

  /** `played`: samples since the stop before. */
  #reportCut(utterances: readonly Utterance[], played: number): void {
    let left = Math.max(0, played - this.#done);
    for (const utterance of utterances) {
      const own = Math.min(left, utterance.appended);
      left -= own;
      const isOver = utterance.isWhole && own > 0 && own === utterance.appended;
      if (own > 0 && !utterance.isStarted) this.#report(utterance, 'started', 0);
      this.#report(utterance, isOver ? stateOf(utterance) : 'interrupted', own);
    }
  }

  #followPlaying(): void {
    if (this.#output.played !== this.#playedSeen) this.#playedAtMs = this.#nowMs();
    this.#playedSeen = this.#output.played;
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      const played = this.#output.played - this.#done;
      if (played > 0 && first.appended > 0 && !first.isStarted) {
        first.isStarted = true;
        this.#report(first, 'started', 0);
      }
      if (!first.isWhole || played < first.appended) return;
      this.#queue.shift();
      this.#done += first.appended;
      this.#report(first, stateOf(first), first.appended);
    }
  }

  #askNext(): void {
    const at = this.#queue.findIndex(({ isWhole, isAskedWhole }) => !isWhole && !isAskedWhole);
    const next = this.#queue[at];
    if (next === undefined) return;
    const isTurn = next.isAsked ? next.appended > 0 : (this.#queue[at - 1]?.isWhole ?? true);
    if (!isTurn || this.#aheadMs(next) >= LOOKAHEAD_MS) return;
    this.#synthesizer ??= this.#deps.connect(this);
    next.activeMs = this.#nowMs();
    this.#synthesizer.speak(next.nextPiece());
  }

  /** What is left to play, with what the vendor still owes at least. */
  #aheadMs(next: Utterance): number {
    const owedMs = next.leastMs - this.#output.toMs(next.appended);
    return this.#output.toMs(this.#output.queued) + Math.max(0, owedMs);
  }

  #failStalled(): void {
    const open = this.#queue.find(({ isAsked, isWhole }) => isAsked && !isWhole);
    if (open === undefined || this.#output.queued > 0 || this.#nowMs() - open.activeMs < STALL_MS) return;
    this.#abandon(open, { kind: 'unreachable', words: `The vendor sent no audio for ${STALL_MS / 1000} s` });
  }

  #endSession(fault: SpeechFault): void {
    this.#synthesizer = null;
    this.#tell(fault);
    const isOver = !isTemporary(fault);
    for (const utterance of this.#queue)
      if (!utterance.isWhole && (isOver || utterance.isAsked)) close(utterance, fault);
  }

  #abandon(utterance: Utterance, fault: SpeechFault): void {
    this.#synthesizer?.cancel(utterance.utteranceId);
    this.#fail(utterance, fault);
  }

  /** What has arrived is still played. */
  #fail(utterance: Utterance, fault: SpeechFault): void {
    close(utterance, fault);
    this.#tell(fault);
  }

  #tell(fault: SpeechFault): void {
    this.#fault = fault;
    this.#observer.fault(fault);
  }

  #report(utterance: Utterance, state: UtteranceReport['state'], played: number): void {
    const [playedMs, audioMs] = [this.#output.toMs(played), this.#output.toMs(utterance.appended)];
    this.#observer.utterance(utterance.report(state, playedMs, audioMs));
  }

  #nowMs(): number {
    return this.#deps.clock.monotonicMs();
  }
}

function close(utterance: Utterance, fault: SpeechFault): void {
  utterance.isWhole = true;
  utterance.fault = fault;
}

function stateOf({ fault }: Utterance): 'finished' | 'failed' {
  return fault === null ? 'finished' : 'failed';
}
