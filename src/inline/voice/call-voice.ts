import { answeredWithin, type Clock } from '../../base/time.ts';
import type { CallActor, Silencer } from '../../calls/call-actor.ts';
import type { UtteranceEvent } from '../../calls/call-event.ts';
import type { HostedSpeech } from '../../calls/call-publisher.ts';
import { TurnEnded } from '../turn/turn-faults.ts';

/** How long a model that hangs up lets its last words be heard. */
const LAST_WORDS_MS = 30_000;

/** A turn whose speech somebody interrupted, and what was heard of it. */
export interface Interruption {
  readonly turnId: string;
  readonly heard: string;
}

export interface CallVoiceDeps {
  readonly speech: Pick<HostedSpeech, 'say'>;
  readonly clock: Clock;
  /** Called once it is known what was heard of an interrupted turn. */
  readonly onInterrupted: (interruption: Interruption) => void;
}

interface SpokenTurn {
  readonly heard: string[];
  /** Aborts when somebody interrupts what the turn says. */
  readonly interrupted: AbortController;
  /** Its model writes, or sentences of the reply are on their way to the voice. */
  isWriting: boolean;
  hasSpoken: boolean;
  /** Sentences that are not over. */
  pending: number;
  /** The turn says no more. */
  isClosed: boolean;
}

/** What the model of an agent says on one call: which sentences are still to be heard, and what was heard of the others. */
export class CallVoice {
  readonly #call: CallActor;
  readonly #deps: CallVoiceDeps;
  /** The turn of each sentence that is not over. */
  readonly #turnOf = new Map<string, string>();
  readonly #turns = new Map<string, SpokenTurn>();
  readonly #onSilent: (() => void)[] = [];
  #interruption: Interruption | null = null;
  /** The last sentence that is over. */
  #over: { readonly utteranceId: string; readonly turnId: string } | null = null;

  constructor(call: CallActor, deps: CallVoiceDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  /** Whether the gateway speaks for the agent on this call. */
  get isHosted(): boolean {
    return this.#call.capabilities.presets.tts !== null;
  }

  /** Whether somebody has said something, and may go on. */
  get isListening(): boolean {
    return this.#call.turnEnds.isOpen;
  }

  /** Begins a turn. Returns a signal that aborts when somebody interrupts what it says. */
  begin(turnId: string): AbortSignal {
    const interrupted = new AbortController();
    const turn = { heard: [], interrupted, isWriting: true, hasSpoken: false, pending: 0, isClosed: false };
    this.#turns.set(turnId, turn);
    return interrupted.signal;
  }

  /** Speaks a sentence of a turn after those before. @throws the errors of `HostedSpeech.say` */
  say(turnId: string, text: string): void {
    const utteranceId = this.#deps.speech.say(this.#call, text);
    const turn = this.#turns.get(turnId);
    if (!turn) return;
    this.#turnOf.set(utteranceId, turnId);
    turn.hasSpoken = true;
    turn.pending += 1;
  }

  /** The reply of a turn is complete, and the voice has all of its sentences. */
  written(turnId: string): void {
    const turn = this.#turns.get(turnId);
    if (turn) turn.isWriting = false;
  }

  /** Whether somebody has interrupted what the turn says. */
  isInterrupted(turnId: string): boolean {
    return this.#turns.get(turnId)?.interrupted.signal.aborted ?? false;
  }

  /** The turn says no more. */
  close(turnId: string): void {
    const turn = this.#turns.get(turnId);
    if (!turn) return;
    turn.isClosed = true;
    this.#endIfOver(turnId, turn);
  }

  /** Returns the last interruption, and forgets it. */
  takeInterruption(): Interruption | null {
    const interruption = this.#interruption;
    this.#interruption = null;
    return interruption;
  }

  /** Resolves when everything has been heard or interrupted, or after 30 s. */
  async silence(): Promise<void> {
    if (this.#turnOf.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onSilent.push(resolve);
    const late = (): Error => new Error('the last words take too long');
    await answeredWithin(this.#deps.clock, LAST_WORDS_MS, late, () => promise).catch(() => {});
  }

  /**
   * What is being said is cut off. The model need not write the rest: it is stopped now, not when the engine has told how
   * much was heard. A stop by a client ends a turn that has not spoken yet, too; a person who speaks over something else
   * does not know of it.
   */
  silenced(by: Silencer): void {
    for (const { isWriting, hasSpoken, pending, interrupted } of this.#turns.values()) {
      const isUnfinished = isWriting && (hasSpoken || by === 'client');
      if (isUnfinished || pending > 0) interrupted.abort(new TurnEnded('interrupted'));
    }
  }

  /** Something that was said is over. */
  heard({ utteranceId, state, spokenText }: UtteranceEvent): void {
    const turnId = this.#turnOf.get(utteranceId);
    const turn = turnId === undefined ? undefined : this.#turns.get(turnId);
    if (state === 'started' || turnId === undefined || !turn) return;
    this.#turnOf.delete(utteranceId);
    this.#over = { utteranceId, turnId };
    turn.pending -= 1;
    if (spokenText !== '') turn.heard.push(spokenText);
    if (state === 'interrupted') turn.interrupted.abort(new TurnEnded('interrupted'));
    this.#endIfOver(turnId, turn);
    if (this.#turnOf.size === 0) this.#settle();
  }

  /** Returns the turn that said this. Undefined: it is long over, or no turn of a model did. */
  turnThatSaid(utteranceId: string): string | undefined {
    const over = this.#over?.utteranceId === utteranceId ? this.#over.turnId : undefined;
    return this.#turnOf.get(utteranceId) ?? over;
  }

  /** The call is over. */
  end(): void {
    this.#turnOf.clear();
    this.#settle();
  }

  #endIfOver(turnId: string, { heard, interrupted, pending, isClosed }: SpokenTurn): void {
    if (!isClosed || pending > 0) return;
    this.#turns.delete(turnId);
    if (!interrupted.signal.aborted) return;
    this.#interruption = { turnId, heard: heard.join(' ') };
    this.#deps.onInterrupted(this.#interruption);
  }

  #settle(): void {
    for (const resolve of this.#onSilent.splice(0)) resolve();
  }
}
