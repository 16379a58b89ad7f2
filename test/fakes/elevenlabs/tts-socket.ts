import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../../src/base/time.ts';
import {
  type Check,
  faultOf,
  faultOfQuery,
  isFlag,
  isNumber,
  isNumeral,
  isOneOf,
  isText,
  type Shape,
} from '../shape.ts';
import { SpeechSockets, type UpgradeRefusal, type VendorEnd } from '../speech-sockets.ts';
import type { ToneFormat } from '../tone-speech.ts';
import { BAD_KEY, hasKey, invalidQuery, NO_VOICE } from './elevenlabs-errors.ts';
import { type AlignmentManner, TtsContext } from './tts-context.ts';

const isTrueOrFalse = isOneOf('true', 'false');
const FORMAT = /^(?:pcm_(?:8000|16000|22050|24000|44100)|ulaw_8000)$/;
const PATH = /^\/v1\/text-to-speech\/([^/]+)\/multi-stream-input$/;
const VOICE = /^[A-Za-z0-9]{20}$/;
const MAX_CONTEXTS = 5;

/** Parameters of `multi-stream-input` in the vendor's asyncapi.yml. */
const QUERY: Shape = {
  'model_id?': (value) => /^eleven_(?:turbo|flash|multilingual|v3)/.test(`${value}`),
  'language_code?': (value) => /^[a-z]{2,3}$/.test(`${value}`),
  'enable_logging?': isTrueOrFalse,
  'enable_ssml_parsing?': isTrueOrFalse,
  'output_format?': (value) => FORMAT.test(`${value}`),
  'inactivity_timeout?': isNumeral(1, 180),
  'sync_alignment?': isTrueOrFalse,
  'auto_mode?': isTrueOrFalse,
  'apply_text_normalization?': isOneOf('auto', 'on', 'off'),
  'seed?': isNumeral(0, 4_294_967_295),
};

const isVoiceSettings: Check = (value) =>
  faultOf(value, {
    'stability?': isNumber(0, 1),
    'similarity_boost?': isNumber(0, 1),
    'style?': isNumber(0, 1),
    'use_speaker_boost?': isFlag,
    'speed?': isNumber(0.7, 1.2),
  }) === null;
const isGenerationConfig: Check = (value) =>
  faultOf(value, {
    'chunk_length_schedule?': (list) => Array.isArray(list) && list.every(isNumber(50, 500)),
  }) === null;

/** What a client may send. All messages are one type with optional fields. */
const MESSAGE: Shape = {
  'text?': isText,
  'context_id?': isText,
  'voice_settings?': isVoiceSettings,
  'generation_config?': isGenerationConfig,
  'flush?': isFlag,
  'close_context?': isFlag,
  'close_socket?': isFlag,
};

interface Message {
  readonly text?: string;
  readonly context_id?: string;
  readonly voice_settings?: object;
  readonly generation_config?: object;
  readonly flush?: boolean;
  readonly close_context?: boolean;
  readonly close_socket?: boolean;
}

/** ElevenLabs' text-to-speech socket. It speaks tone speech. */
export class ElevenLabsTtsSocket extends SpeechSockets {
  /** Delay before each chunk of audio. 0: all at once. */
  paceMs = 0;
  alignment: AlignmentManner = { durations: 'charDurationsMs', from: 'message' };
  /** The largest number of contexts that one connection has had at a time. */
  mostContexts = 0;
  readonly #key: string;
  readonly #clock: Clock;
  readonly #sessions = new Set<TtsSession>();

  constructor(key: string, clock: Clock) {
    super();
    this.#key = key;
    this.#clock = clock;
  }

  /** Contexts alive on all connections. */
  get openContexts(): number {
    return [...this.#sessions].reduce((sum, { contexts }) => sum + contexts, 0);
  }

  protected matches(path: string): boolean {
    return PATH.test(path);
  }

  protected refusalOf({ pathname, searchParams }: URL, headers: IncomingHttpHeaders): UpgradeRefusal | null {
    if (!hasKey(headers, this.#key)) return BAD_KEY;
    if (!VOICE.test(PATH.exec(pathname)?.[1] ?? '')) return NO_VOICE;
    const fault = faultOfQuery(searchParams, QUERY) ?? pairFault(searchParams);
    if (fault === null) return null;
    this.offences.push(fault);
    return invalidQuery(fault);
  }

  protected open(end: VendorEnd, { searchParams }: URL): void {
    const session = new TtsSession(end, searchParams, this.#clock, this);
    this.#sessions.add(session);
    end.socket.on('message', (data: Buffer) => session.take(data));
    end.socket.on('close', () => {
      session.stop();
      this.#sessions.delete(session);
    });
  }
}

/** One connection. */
class TtsSession {
  readonly #end: VendorEnd;
  readonly #clock: Clock;
  readonly #owner: ElevenLabsTtsSocket;
  readonly #format: ToneFormat;
  readonly #isAuto: boolean;
  readonly #idleMs: number;
  readonly #contexts = new Map<string, TtsContext>();
  /** Contexts that a keep-alive has named before their first message. */
  readonly #namedEarly = new Set<string>();
  #isClosing = false;
  #cancelIdle: () => void = () => {};
  #cancelPace: (() => void) | null = null;

  constructor(end: VendorEnd, query: URLSearchParams, clock: Clock, owner: ElevenLabsTtsSocket) {
    this.#end = end;
    this.#clock = clock;
    this.#owner = owner;
    const [encoding, rate] = (query.get('output_format') ?? 'pcm_16000').split('_');
    this.#format = { encoding: encoding === 'ulaw' ? 'mulaw' : 's16le', sampleRateHz: Number(rate) };
    this.#isAuto = query.get('auto_mode') === 'true';
    this.#idleMs = 1_000 * Number(query.get('inactivity_timeout') ?? 20);
    this.#awaitMessage();
  }

  get contexts(): number {
    return this.#contexts.size;
  }

  take(data: Buffer): void {
    this.#awaitMessage();
    const message = JSON.parse(data.toString('utf8')) as Message;
    const fault = faultOf(message, MESSAGE);
    if (fault !== null) return this.#refuse('invalid_input_message', fault);
    if (message.close_socket) this.#close();
    else if (message.close_context) this.#contexts.get(message.context_id ?? '')?.close();
    else this.#takeText(message);
    this.#speak();
  }

  stop(): void {
    this.#cancelIdle();
    this.#cancelPace?.();
    this.#contexts.clear();
  }

  #takeText({
    text = '',
    context_id: id = '',
    voice_settings,
    generation_config,
    flush = false,
  }: Message): void {
    const isInit = voice_settings !== undefined || generation_config !== undefined;
    let context = this.#contexts.get(id);
    // Without a context, a keep-alive is for the connection.
    if (text === '' && !flush && !isInit && context === undefined)
      return void (id === '' || this.#namedEarly.add(id));
    if (isInit && (context || this.#namedEarly.has(id)))
      return this.#refuse('invalid_input_message', 'voice_settings are only allowed in the first message');
    if (context === undefined) {
      if (this.#contexts.size >= MAX_CONTEXTS)
        return this.#refuse(
          'max_active_conversations',
          `Maximum simultaneous contexts exceeded (${MAX_CONTEXTS})`,
        );
      context = new TtsContext(id, this.#format, this.#isAuto);
      this.#contexts.set(id, context);
      this.#owner.mostContexts = Math.max(this.#owner.mostContexts, this.#contexts.size);
    }
    if (text.trim() !== '' || flush) context.add(text, flush);
  }

  #close(): void {
    this.#isClosing = true;
    for (const context of this.#contexts.values()) context.close();
  }

  #speak(): void {
    const { paceMs } = this.#owner;
    while (paceMs === 0 && this.#sendNext());
    if (this.#isClosing && this.#contexts.size === 0) return this.#end.socket.close(1000);
    if (paceMs === 0 || this.#cancelPace !== null || !this.#hasMore()) return;
    this.#cancelPace = this.#clock.after(paceMs, () => {
      this.#cancelPace = null;
      this.#sendNext();
      this.#speak();
    });
  }

  #hasMore(): boolean {
    return [...this.#contexts.values()].some(({ isEmpty, isClosed }) => !isEmpty || isClosed);
  }

  /** Returns whether there was something to send. */
  #sendNext(): boolean {
    for (const [id, context] of this.#contexts) {
      const message = context.next(this.#owner.alignment);
      if (message) {
        this.#end.send(message);
        return true;
      }
      if (!context.isClosed) continue;
      this.#contexts.delete(id);
      this.#end.send({ isFinal: true, contextId: id });
      return true;
    }
    return false;
  }

  #awaitMessage(): void {
    this.#cancelIdle();
    const words = `This connection was closed, because no message came for ${this.#idleMs / 1_000} seconds`;
    this.#cancelIdle = this.#clock.after(this.#idleMs, () => this.#fail('input_timeout_exceeded', words));
  }

  #refuse(error: string, message: string): void {
    this.#owner.offences.push(message);
    this.#fail(error, message);
  }

  #fail(error: string, message: string): void {
    this.#end.send({ message, error, code: 1008 });
    this.#end.socket.close(1008, message);
  }
}

/** Parameters that do not go with others. */
function pairFault(query: URLSearchParams): string | null {
  const model = query.get('model_id') ?? '';
  if (query.has('language_code') && !/_v2_5|_v3/.test(model))
    return 'language_code is not supported by this model';
  if (query.get('apply_text_normalization') === 'on' && /turbo|flash/.test(model))
    return 'apply_text_normalization is not supported by this model';
  return null;
}
