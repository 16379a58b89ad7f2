import type { Clock } from '../../../src/base/time.ts';
import type { VendorEnd } from '../speech-sockets.ts';
import { type HeardWord, ToneRecognizer } from '../tone-speech.ts';
import { IDLE_CLOSE } from './deepgram-errors.ts';
import { IdleLimit } from './idle-limit.ts';

const REQUEST_ID = '0d7f2e0c-0000-4000-8000-000000000006';
/** After this silence, Flux is confident that a turn has ended. */
const PAUSE_MS = 600;

/** One connection to `/v2/listen`. */
export class FluxSession {
  readonly #end: VendorEnd;
  readonly #offend: (offence: string) => void;
  readonly #recognizer: ToneRecognizer;
  readonly #isLinear: boolean;
  readonly #idle: IdleLimit;
  readonly #hasLanguages: boolean;
  #words: HeardWord[] = [];
  #turn = 0;
  #isTurn = false;
  #turnStartMs = 0;
  #sequence = 0;

  constructor(end: VendorEnd, query: URLSearchParams, clock: Clock, offend: (offence: string) => void) {
    this.#end = end;
    this.#offend = offend;
    this.#isLinear = query.get('encoding') === 'linear16';
    this.#hasLanguages = query.get('model') === 'flux-general-multi';
    this.#recognizer = new ToneRecognizer({
      encoding: this.#isLinear ? 's16le' : 'mulaw',
      sampleRateHz: Number(query.get('sample_rate')),
    });
    this.#idle = new IdleLimit(clock, () => end.socket.close(IDLE_CLOSE.code, IDLE_CLOSE.reason));
    this.#send({ type: 'Connected' });
  }

  hear(audio: Buffer): void {
    if (this.#isLinear && audio.length % 2 !== 0) this.#offend('half a sample');
    this.#idle.restart();
    const words = this.#recognizer.hear(audio);
    this.#words.push(...words);
    if (!this.#isTurn && (words.length > 0 || this.#recognizer.isSpeaking)) {
      this.#isTurn = true;
      this.#sendTurn('StartOfTurn', 0.1);
    } else if (words.length > 0) {
      this.#sendTurn('Update', 0.2);
    }
    if (this.#isTurn && this.#recognizer.silentMs >= PAUSE_MS) this.#endTurn();
  }

  take(type: string): void {
    if (type !== 'CloseStream') return this.refuse(`unknown message ${type}`);
    this.#words.push(...this.#recognizer.flush());
    if (this.#isTurn) this.#endTurn();
    this.#end.socket.close(1000);
  }

  refuse(fault: string): void {
    this.#offend(fault);
    this.#send({ type: 'Error', code: 'UNPARSABLE_CLIENT_MESSAGE', description: fault });
    this.#end.socket.close(1008, fault);
  }

  stop(): void {
    this.#idle.stop();
  }

  #endTurn(): void {
    this.#sendTurn('EndOfTurn', 0.9);
    this.#isTurn = false;
    this.#turn += 1;
    this.#words = [];
    this.#turnStartMs = this.#recognizer.heardMs;
  }

  #sendTurn(event: string, end_of_turn_confidence: number): void {
    this.#send({
      type: 'TurnInfo',
      event,
      turn_index: this.#turn,
      audio_window_start: this.#turnStartMs / 1_000,
      audio_window_end: this.#recognizer.heardMs / 1_000,
      transcript: this.#words.map(({ text }) => text).join(' '),
      words: this.#words.map(({ text, startMs, endMs }) => ({
        word: text,
        confidence: 0.8,
        start: startMs / 1_000,
        end: endMs / 1_000,
      })),
      end_of_turn_confidence,
      ...(this.#hasLanguages && { languages: ['en'] }),
    });
  }

  #send(message: object): void {
    this.#end.send({ request_id: REQUEST_ID, sequence_id: this.#sequence++, ...message });
  }
}
