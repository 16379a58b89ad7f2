import type { CallIdentity } from '../../calls/call-event.ts';
import type { SpeechCounts } from '../metering/speech-meter.ts';

/** Writes are this far apart, so that calls with speech do not keep the database busy. */
const WRITE_EVERY_MS = 60_000;

/** What a call has used of its speech providers. */
export type UsedSpeech = Pick<SpeechCounts, 'characters' | 'spokenMs' | 'heardMs'>;

/** Adds to the usage of the call's account. */
export type RecordSpeechUsage = (call: CallIdentity, used: UsedSpeech) => Promise<void>;

const NOTHING: UsedSpeech = { characters: 0, spokenMs: 0, heardMs: 0 };

/** Adds what a call uses to its account's usage: once a minute, and at the end. */
export class SpeechUsage {
  readonly #call: CallIdentity;
  readonly #record: RecordSpeechUsage;
  readonly #nowMs: () => number;
  #used = NOTHING;
  #writtenMs: number;

  constructor(call: CallIdentity, record: RecordSpeechUsage, nowMs: () => number) {
    this.#call = call;
    this.#record = record;
    this.#nowMs = nowMs;
    this.#writtenMs = nowMs();
  }

  add({ characters, spokenMs, heardMs }: UsedSpeech): void {
    const used = this.#used;
    this.#used = {
      characters: used.characters + characters,
      spokenMs: used.spokenMs + spokenMs,
      heardMs: used.heardMs + heardMs,
    };
    if (this.#nowMs() - this.#writtenMs >= WRITE_EVERY_MS) void this.write();
  }

  /** Resolves when everything so far is recorded. */
  async write(): Promise<void> {
    const used = this.#used;
    this.#used = NOTHING;
    this.#writtenMs = this.#nowMs();
    if (used.characters + used.spokenMs + used.heardMs > 0) await this.#record(this.#call, used);
  }
}
