import { GatewayError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { Clock } from '../../base/time.ts';
import { TokenBucket } from '../../base/token-bucket.ts';
import type { SaidUtterance } from '../transport/speech-protocol.ts';

/** Limits per call. */
const MAX_UTTERANCES = 32;
const MAX_CHARACTERS = 20_000;
/** Texts that are over at once, such as a blank one, are limited by their rate. */
const RATE = { most: MAX_UTTERANCES, perSecond: 20 };

/** The texts of a call that are not over. */
export class PendingUtterances {
  /** By id, in the order of `say`. */
  readonly #said = new Map<string, SaidUtterance>();
  #characters = 0;
  readonly #rate: TokenBucket;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#rate = new TokenBucket(clock, RATE);
  }

  get all(): readonly SaidUtterance[] {
    return [...this.#said.values()];
  }

  get isEmpty(): boolean {
    return this.#said.size === 0;
  }

  /** Adds a text. @throws GatewayError `too_much_speech` */
  add(text: string, generation: number): SaidUtterance {
    const isFull = this.#said.size >= MAX_UTTERANCES || this.#characters + text.length > MAX_CHARACTERS;
    if (isFull || !this.#rate.take(1)) throw new GatewayError('too_much_speech');
    const said = { utteranceId: newId('utt'), text, generation };
    this.#said.set(said.utteranceId, said);
    this.#characters += text.length;
    return said;
  }

  /** Returns false when it was over already. */
  settle(utteranceId: string): boolean {
    this.#characters -= this.#said.get(utteranceId)?.text.length ?? 0;
    return this.#said.delete(utteranceId);
  }
}
