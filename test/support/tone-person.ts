import { silence, ToneRecognizer, toneSpeech } from '../fakes/tone-speech.ts';
import { Agent } from './agent.ts';
import { waitFor } from './wait-for.ts';

const RATE_HZ = 8_000;
const FORMAT = { encoding: 's16le', sampleRateHz: RATE_HZ } as const;
/** After a pause of this length a recognizer takes a sentence as said. */
const PAUSE_MS = 700;

/** Somebody on the phone who speaks and understands words of tones. */
export class TonePerson {
  readonly #agent: Agent;
  readonly #recognizer = new ToneRecognizer(FORMAT);
  readonly #words: string[] = [];
  /** Frames that are understood. */
  #frames = 0;

  private constructor(agent: Agent) {
    this.#agent = agent;
  }

  static async join(streamUrl: string, apiKey: string): Promise<TonePerson> {
    return new TonePerson(await Agent.join(streamUrl, apiKey, { sampleRateHz: RATE_HZ }));
  }

  /** Resolves when the call is over. */
  get hungUp(): Promise<number> {
    return this.#agent.closed;
  }

  /** Everything heard so far, as words. */
  get heard(): string {
    const { buffer, byteOffset, byteLength } = this.#agent.heardSamples(this.#frames);
    this.#frames = this.#agent.heard.length;
    const words = this.#recognizer.hear(new Uint8Array(buffer, byteOffset, byteLength));
    this.#words.push(...words.map(({ text }) => text));
    return this.#words.join(' ');
  }

  /** Says words, and then nothing until they count as said. */
  says(words: string): void {
    for (const audio of [toneSpeech(words, FORMAT), silence(PAUSE_MS, FORMAT)])
      this.#agent.speak(new Int16Array(audio.buffer, audio.byteOffset, audio.byteLength / 2));
  }

  /** Waits until exactly these words have been heard since the call began. */
  async hears(words: string, deadlineMs = 10_000): Promise<void> {
    await waitFor(`"${words}" to be heard`, () => this.heard === words, deadlineMs).catch((error: Error) => {
      throw new Error(`${error.message} (it was "${this.heard}")`);
    });
  }

  /** Waits until these words have been heard. More may have followed by then. */
  async hearsAtLeast(words: string): Promise<void> {
    await waitFor(`at least "${words}" to be heard`, () => this.heard.startsWith(words));
  }

  /** Waits until these keys have been pressed at the other end, in this order. */
  async hearsKeys(digits: string): Promise<void> {
    for (const digit of digits) await this.#agent.waitFor('dtmf', { digit });
  }
}
