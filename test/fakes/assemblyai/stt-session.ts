import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Clock } from '../../../src/base/time.ts';
import type { VendorEnd } from '../speech-sockets.ts';
import { type HeardWord, ToneRecognizer } from '../tone-speech.ts';
import { type AssemblyAiParameters, durationMs, formatOf } from './stt-parameters.ts';

const ClientMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('Terminate') }),
  z.strictObject({ type: z.literal('ForceEndpoint') }),
  z.strictObject({ type: z.literal('KeepAlive') }),
  z.looseObject({ type: z.literal('UpdateConfiguration') }),
]);

const MIN_CHUNK_MS = 50;
const MAX_CHUNK_MS = 1_000;
/** How much audio may come early. AssemblyAI does not say. */
const EARLY_MS = 500;
const CAP_S = 3 * 3_600;

/** The vendor as its sessions see it. */
export interface SessionHost {
  readonly clock: Clock;
  /** Speakers of the next turns. */
  readonly speakers: readonly string[];
  readonly formatDelayMs: number | null;
  /** Ends a session with an error of the vendor. */
  refuse(end: VendorEnd, code: number, error: string): void;
  /** Ends a session because of a mistake of the client. */
  offend(end: VendorEnd, code: number, error: string): void;
}

/** One session, from `Begin` to `Termination`. */
export class AssemblyAiSession {
  /** Whether the client has ended it in AssemblyAI's way. Another one is billed for three hours. */
  isTerminated = false;
  forcedEndpoints = 0;
  heardMs = 0;
  readonly #stt: SessionHost;
  readonly #end: VendorEnd;
  readonly parameters: AssemblyAiParameters;
  readonly #recognizer: ToneRecognizer;
  readonly #startedAtMs: number;
  /** The words of the turn that is being spoken. */
  #words: HeardWord[] = [];
  #order = 0;

  constructor(stt: SessionHost, end: VendorEnd, parameters: AssemblyAiParameters) {
    this.#stt = stt;
    this.#end = end;
    this.parameters = parameters;
    this.#recognizer = new ToneRecognizer(formatOf(parameters));
    this.#startedAtMs = stt.clock.monotonicMs();
    end.socket.on('message', (data: Buffer, isBinary) =>
      isBinary ? this.#hear(data) : this.#obey(`${data}`),
    );
    const expires_at = Math.round(Date.now() / 1_000) + CAP_S;
    this.#send({ type: 'Begin', id: randomUUID(), expires_at, configuration: {} });
  }

  get #isUniversalStreaming(): boolean {
    return this.parameters.speech_model.startsWith('universal-streaming');
  }

  /** AssemblyAI ends the session with an error. */
  fail(code: number, error: string): void {
    this.#stt.refuse(this.#end, code, error);
  }

  #hear(audio: Buffer): void {
    const chunkMs = durationMs(audio, this.parameters);
    if (chunkMs < MIN_CHUNK_MS || chunkMs > MAX_CHUNK_MS) {
      const words = `Input duration violation: ${chunkMs} ms. Expected between 50 and 1000 ms`;
      return this.#stt.offend(this.#end, 3007, words);
    }
    this.heardMs += chunkMs;
    const elapsedMs = this.#stt.clock.monotonicMs() - this.#startedAtMs;
    if (this.heardMs > elapsedMs + EARLY_MS) {
      const received = `Received ${this.heardMs / 1_000} sec. audio in ${elapsedMs / 1_000} sec`;
      return this.#stt.offend(this.#end, 3007, `Audio Transmission Rate Exceeded: ${received}`);
    }
    const words = this.#recognizer.hear(audio);
    for (const word of words) this.#extend(word);
    const silenceMs = this.parameters.min_turn_silence ?? 400;
    if (this.#words.length > 0 && this.#recognizer.silentMs >= silenceMs) this.#endTurn();
  }

  #extend(word: HeardWord): void {
    if (this.#words.length === 0 && !this.#isUniversalStreaming) {
      this.#send({ type: 'SpeechStarted', timestamp: word.startMs, confidence: 0.9 });
    }
    this.#words.push(word);
    this.#sendTurn({ isEnd: false, isFormatted: !this.#isUniversalStreaming });
  }

  #endTurn(): void {
    const { format_turns } = this.parameters;
    const words = this.#words;
    const order = this.#order;
    this.#sendTurn({ isEnd: true, isFormatted: !this.#isUniversalStreaming });
    this.#words = [];
    this.#order += 1;
    if (format_turns !== 'true' || this.#stt.formatDelayMs === null) return;
    this.#stt.clock.after(this.#stt.formatDelayMs, () => this.#sendFormatted(words, order));
  }

  #sendFormatted(words: readonly HeardWord[], order: number): void {
    this.#send(this.#turn(words, { order, isEnd: true, isFormatted: true }));
  }

  #sendTurn(state: { readonly isEnd: boolean; readonly isFormatted: boolean }): void {
    this.#send(this.#turn(this.#words, { ...state, order: this.#order }));
  }

  #turn(words: readonly HeardWord[], { order, isEnd, isFormatted }: TurnState): object {
    // Before the end, the last word may still change.
    const settled = isEnd || isFormatted ? words : words.slice(0, -1);
    const raw = settled.map(({ text }) => text).join(' ');
    return {
      type: 'Turn',
      turn_order: order,
      turn_is_formatted: isFormatted,
      end_of_turn: isEnd,
      transcript: isFormatted && isEnd ? formatted(raw) : raw,
      utterance: isEnd ? raw : '',
      end_of_turn_confidence: isEnd ? 0.9 : 0.1,
      words: words.map(({ text, startMs, endMs }, place) => ({
        text: isFormatted && isEnd && place === words.length - 1 ? `${text}.` : text,
        start: startMs,
        end: endMs,
        confidence: 0.75,
        word_is_final: place < settled.length,
      })),
      ...(this.parameters.speaker_labels === 'true' && {
        speaker_label: this.#stt.speakers[order] ?? 'UNKNOWN',
      }),
      ...(this.parameters.language_detection === 'true' && {
        language_code: 'en',
        language_confidence: 0.99,
      }),
    };
  }

  #obey(text: string): void {
    const message = ClientMessage.safeParse(parse(text)).data;
    if (!message) return this.#stt.offend(this.#end, 3006, `Invalid Message: ${text}`);
    switch (message.type) {
      case 'Terminate':
        this.#terminate();
        break;
      case 'ForceEndpoint':
        this.forcedEndpoints += 1;
        for (const word of this.#recognizer.flush()) this.#extend(word);
        if (this.#words.length > 0) this.#endTurn();
        break;
      default:
    }
  }

  #terminate(): void {
    this.isTerminated = true;
    for (const word of this.#recognizer.flush()) this.#extend(word);
    if (this.#words.length > 0) this.#endTurn();
    // Formatted texts that are due come before.
    this.#stt.clock.after((this.#stt.formatDelayMs ?? 0) + 10, () => {
      const session_duration_seconds = Math.round(
        (this.#stt.clock.monotonicMs() - this.#startedAtMs) / 1_000,
      );
      const audio_duration_seconds = Math.round(this.heardMs / 1_000);
      this.#send({ type: 'Termination', audio_duration_seconds, session_duration_seconds });
      this.#end.socket.close(1000);
    });
  }

  #send(message: object): void {
    this.#end.send(message);
  }
}

interface TurnState {
  readonly order: number;
  readonly isEnd: boolean;
  readonly isFormatted: boolean;
}

function formatted(text: string): string {
  return text === '' ? '' : `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
