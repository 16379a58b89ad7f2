import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { type Clock, systemClock } from '../../../src/base/time.ts';
import { SpeechSockets, type UpgradeRefusal, type VendorEnd } from '../speech-sockets.ts';
import { bytesPerMs, type HeardWord, ToneRecognizer } from '../tone-speech.ts';
import { entryErrorOf, refusalWith } from './socket-entry.ts';
import { badRequest, type CartesiaError, errorMessage } from './socket-errors.ts';

const common = {
  encoding: z.enum(['pcm_s16le', 'pcm_mulaw']),
  sample_rate: z.coerce.number().int().min(8_000).max(48_000),
  cartesia_version: z.string().optional(),
};
const share = z.coerce.number().min(0).max(1).optional();

/** AutoFinalizeWebsocketParams of @cartesia/cartesia-js 4.2.0. `keyterm` is checked by itself, because it repeats. */
const TurnsParameters = z.strictObject({
  ...common,
  model: z.enum(['ink-2']),
  turn_start_threshold: share,
  turn_eager_end_threshold: share,
  turn_end_threshold: share,
  turn_end_timeout_ms: z.coerce.number().min(640).max(11_200).optional(),
});
/** ManualFinalizeWebsocketParams. */
const ManualParameters = z.strictObject({
  ...common,
  model: z.enum(['ink-2', 'ink-whisper', 'ink-whisper-2025-06-04']),
  language: z.string().optional(),
  min_volume: share,
  max_silence_duration_secs: z.coerce.number().optional(),
});
const TurnsCommand = z.union([
  z.strictObject({ type: z.literal('close') }),
  z.strictObject({ type: z.literal('config'), turn: z.looseObject({}).optional() }),
]);

type Parameters = z.output<typeof ManualParameters> | z.output<typeof TurnsParameters>;
export type SttParameters = Parameters & { readonly keyterms: readonly string[] };

const TURNS_PATH = '/stt/turns/websocket';
const IDLE_MS = 3 * 60_000;
/** Silence that ends a turn, in this fake. */
const TURN_SILENCE_MS = 500;
/** Silence after which ink-whisper settles text by itself. */
const SETTLE_SILENCE_MS = 700;

/** What happens to the next connection. */
export interface CartesiaSttFault {
  /** The upgrade is answered with it. */
  readonly refusal?: CartesiaError;
  /** Sent as the first message. */
  readonly error?: CartesiaError;
}

/** Cartesia's streaming speech-to-text, `/stt/turns/websocket` and `/stt/websocket`, which understand tone speech. */
export class CartesiaStt extends SpeechSockets {
  readonly key: string;
  readonly clock: Clock;
  readonly streams: SttStream[] = [];
  readonly parameters: SttParameters[] = [];
  /** Faults of the next connections, one each. Null: none. */
  readonly faults: (CartesiaSttFault | null)[] = [];
  /** Whether texts have the times of their words. */
  tellsWords = true;

  constructor(clock: Clock = systemClock, key = 'sk_car_FakeKeyOfCartesia0123456789') {
    super();
    this.clock = clock;
    this.key = key;
  }

  protected matches(path: string): boolean {
    return path === TURNS_PATH || path === '/stt/websocket';
  }

  protected refusalOf(url: URL, headers: IncomingHttpHeaders): UpgradeRefusal | null {
    const refusal = this.faults[0]?.refusal;
    if (refusal) this.faults.shift();
    const error = refusal ?? entryErrorOf(url, headers, this.key) ?? this.#check(url);
    return error && refusalWith(error);
  }

  #check({ pathname, searchParams: query }: URL): CartesiaError | null {
    const keyterms = query.getAll('keyterm');
    query.delete('keyterm');
    const parser: z.ZodType<Parameters> = pathname === TURNS_PATH ? TurnsParameters : ManualParameters;
    const { data, error } = parser.safeParse(Object.fromEntries(query));
    const isTooMuch = keyterms.length > 100 || keyterms.join('').length > 1_200;
    if (!data || isTooMuch) {
      this.offences.push(error ? z.prettifyError(error) : 'too many keyterms');
      return badRequest('Invalid query parameters');
    }
    this.parameters.push({ ...data, keyterms });
    return null;
  }

  protected open(end: VendorEnd, { pathname }: URL): void {
    const parameters = this.parameters.at(-1)!;
    const { error } = this.faults.shift() ?? {};
    if (error) {
      end.send(errorMessage(error, null));
      end.socket.close(1011);
      return;
    }
    this.streams.push(new (pathname === TURNS_PATH ? TurnsStream : ManualStream)(this, end, parameters));
  }
}

/** One connection. */
export abstract class SttStream {
  /** What the client wrote. */
  readonly commands: string[] = [];
  readonly parameters: SttParameters;
  protected readonly recognizer: ToneRecognizer;
  protected readonly tellsWords: boolean;
  readonly #stt: CartesiaStt;
  readonly #end: VendorEnd;
  readonly #requestId = randomUUID();
  readonly #bytesPerMs: number;
  #heardBytes = 0;
  #cancelIdle = (): void => {};

  constructor(stt: CartesiaStt, end: VendorEnd, parameters: SttParameters) {
    const { encoding, sample_rate: sampleRateHz } = parameters;
    this.parameters = parameters;
    this.#stt = stt;
    this.#end = end;
    this.tellsWords = stt.tellsWords;
    const format = { encoding: encoding === 'pcm_mulaw' ? 'mulaw' : 's16le', sampleRateHz } as const;
    this.recognizer = new ToneRecognizer(format);
    this.#bytesPerMs = bytesPerMs(format);
    this.#awaitAudio();
    end.socket.on('message', (data: Buffer, isBinary) => {
      this.#awaitAudio();
      if (isBinary) {
        this.#heardBytes += data.length;
        return this.hear(this.recognizer.hear(data));
      }
      this.commands.push(`${data}`);
      if (!this.obey(`${data}`)) this.#offend(`Unknown command ${data}`);
    });
    end.socket.on('close', () => this.#cancelIdle());
  }

  get heardMs(): number {
    return this.#heardBytes / this.#bytesPerMs;
  }

  fail(cause: CartesiaError): void {
    this.#end.send(errorMessage(cause, null));
    this.#end.socket.close(1011);
  }

  /** Takes audio in which these words ended. */
  protected abstract hear(words: readonly HeardWord[]): void;
  /** Returns false for an unknown command. */
  protected abstract obey(command: string): boolean;

  protected send(message: object): void {
    this.#end.send({ request_id: this.#requestId, ...message });
  }

  protected close(): void {
    this.#end.socket.close(1000);
  }

  #offend(message: string): void {
    this.#stt.offences.push(message);
    this.fail(badRequest(message));
  }

  #awaitAudio(): void {
    this.#cancelIdle();
    this.#cancelIdle = this.#stt.clock.after(IDLE_MS, () => this.#end.socket.close(1000, 'idle'));
  }
}

class TurnsStream extends SttStream {
  #words: string[] = [];
  #isOpen = false;

  constructor(stt: CartesiaStt, end: VendorEnd, parameters: SttParameters) {
    super(stt, end, parameters);
    this.send({ type: 'connected' });
  }

  protected override hear(words: readonly HeardWord[]): void {
    if ((this.recognizer.isSpeaking || words.length > 0) && !this.#isOpen) {
      this.#isOpen = true;
      this.send({ type: 'turn.start' });
    }
    this.#extend(words);
    if (this.#isOpen && this.recognizer.silentMs >= TURN_SILENCE_MS) this.#end();
  }

  protected override obey(command: string): boolean {
    const read = TurnsCommand.safeParse(parse(command)).data;
    if (read?.type !== 'close') return read !== undefined;
    this.#extend(this.recognizer.flush());
    if (this.#isOpen) this.#end();
    this.close();
    return true;
  }

  #extend(words: readonly HeardWord[]): void {
    if (words.length === 0) return;
    this.#words.push(...words.map(({ text }) => text));
    this.send({ type: 'turn.update', transcript: this.#words.join(' ') });
  }

  #end(): void {
    const transcript = this.#words.splice(0).join(' ');
    this.#isOpen = false;
    this.send({ type: 'turn.eager_end', transcript });
    this.send({ type: 'turn.end', transcript });
  }
}

class ManualStream extends SttStream {
  #words: HeardWord[] = [];
  #settledMs = 0;
  #hasText = false;

  protected override hear(words: readonly HeardWord[]): void {
    this.#words.push(...words);
    if (words.length > 0) this.#sendText(false);
    if (this.#words.length > 0 && this.recognizer.silentMs >= SETTLE_SILENCE_MS) this.#settle();
  }

  protected override obey(command: string): boolean {
    if (command === 'finalize') {
      this.#flush();
      this.send({ type: 'flush_done' });
      return true;
    }
    if (command !== 'close' && command !== 'done') return false;
    this.#flush();
    this.send({ type: 'done' });
    this.close();
    return true;
  }

  #flush(): void {
    this.#words.push(...this.recognizer.flush());
    if (this.#words.length > 0) this.#settle();
  }

  #settle(): void {
    this.#sendText(true);
    this.#words = [];
    this.#settledMs = this.recognizer.heardMs;
    this.#hasText = true;
  }

  /** Texts are joined as they are, so all but the first begin with a space. */
  #sendText(is_final: boolean): void {
    const text = `${this.#hasText ? ' ' : ''}${this.#words.map(({ text }) => text).join(' ')}`;
    const duration = (this.recognizer.heardMs - this.#settledMs) / 1_000;
    const words = this.#words.map(({ text: word, startMs, endMs }) => ({
      word,
      start: startMs / 1_000,
      end: endMs / 1_000,
    }));
    this.send({
      type: 'transcript',
      is_final,
      text,
      duration,
      language: 'en',
      ...(this.tellsWords && { words }),
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
