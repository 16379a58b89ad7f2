import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { type Clock, systemClock } from '../../../src/base/time.ts';
import { SpeechSockets, type UpgradeRefusal, type VendorEnd } from '../speech-sockets.ts';
import { entryErrorOf, refusalWith } from './socket-entry.ts';
import { badRequest, CARTESIA_ERRORS, type CartesiaError, errorMessage } from './socket-errors.ts';
import { type ContextFault, type ContextHost, TtsContext } from './tts-context.ts';

const RATES: readonly number[] = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000];

/** GenerationRequest of @cartesia/cartesia-js 4.2.0; the voice as version 2026-03-01 has it. */
const GenerationRequest = z.strictObject({
  context_id: z.string().regex(/^[\w-]+$/),
  model_id: z.string(),
  transcript: z.string(),
  voice: z.union([
    z.strictObject({ mode: z.literal('id'), id: z.string() }),
    z.strictObject({ id: z.string() }),
  ]),
  output_format: z.strictObject({
    container: z.literal('raw'),
    encoding: z.enum(['pcm_f32le', 'pcm_s16le', 'pcm_mulaw', 'pcm_alaw']),
    sample_rate: z.number().refine((rate) => RATES.includes(rate)),
  }),
  language: z.string().nullish(),
  locale: z.string().nullish(),
  continue: z.boolean().nullish(),
  flush: z.boolean().nullish(),
  add_timestamps: z.boolean().nullish(),
  add_phoneme_timestamps: z.boolean().nullish(),
  use_normalized_timestamps: z.boolean().nullish(),
  max_buffer_delay_ms: z.number().int().min(0).max(5_000).nullish(),
  generation_config: z
    .strictObject({
      speed: z.number().min(0.6).max(1.5).optional(),
      volume: z.number().min(0.5).max(2).optional(),
      emotion: z.string().optional(),
    })
    .optional(),
  pronunciation_dict_id: z.string().nullish(),
});
const CancelRequest = z.strictObject({ context_id: z.string(), cancel: z.literal(true) });
const ClientMessage = z.union([CancelRequest, GenerationRequest]);

export type GenerationRequest = z.output<typeof GenerationRequest>;

const GONE_MODELS: readonly string[] = ['sonic', 'sonic-2', 'sonic-turbo'];
const IDLE_MS = 5 * 60_000;

/** Cartesia's text-to-speech, `/tts/websocket`, which speaks in tones. */
export class CartesiaTts extends SpeechSockets implements ContextHost {
  readonly key: string;
  readonly clock: Clock;
  readonly requests: GenerationRequest[] = [];
  readonly cancels: string[] = [];
  /** Faults of the next contexts, one each. Null: none. */
  readonly faults: (ContextFault | null)[] = [];
  /** Contexts that are being spoken or may go on. */
  readonly contexts = new Set<TtsContext>();
  mostContexts = 0;
  /** Contexts of the plan. */
  maxContexts = 2;
  chunkDelayMs = 1;
  billedCharacters = 0;

  constructor(clock: Clock = systemClock, key = 'sk_car_FakeKeyOfCartesia0123456789') {
    super();
    this.clock = clock;
    this.key = key;
  }

  protected matches(path: string): boolean {
    return path === '/tts/websocket';
  }

  protected refusalOf(url: URL, headers: IncomingHttpHeaders): UpgradeRefusal | null {
    const error = entryErrorOf(url, headers, this.key);
    return error && refusalWith(error);
  }

  protected open(end: VendorEnd): void {
    new TtsSocket(this, end);
  }
}

/** One connection and its contexts. */
class TtsSocket {
  readonly #tts: CartesiaTts;
  readonly #end: VendorEnd;
  readonly #contexts = new Map<string, TtsContext>();
  #cancelIdle = (): void => {};

  constructor(tts: CartesiaTts, end: VendorEnd) {
    this.#tts = tts;
    this.#end = end;
    this.#awaitWork();
    end.socket.on('message', (data: Buffer, isBinary) => this.#take(isBinary ? '' : `${data}`));
    end.socket.on('close', () => {
      this.#cancelIdle();
      for (const context of this.#contexts.values()) context.end();
    });
  }

  #take(text: string): void {
    this.#awaitWork();
    const { data: message, error } = ClientMessage.safeParse(parse(text));
    if (!message) return this.#offend(badRequest(z.prettifyError(error)), null);
    if ('cancel' in message) this.#cancel(message.context_id);
    else this.#generate(message);
  }

  #cancel(contextId: string): void {
    this.#tts.cancels.push(contextId);
    this.#contexts.get(contextId)?.cancel();
  }

  #generate(request: GenerationRequest): void {
    const { context_id: contextId, transcript } = request;
    const known = this.#contexts.get(contextId);
    if (known?.isOver) return this.#offend(CARTESIA_ERRORS.contextGone, contextId);
    if (GONE_MODELS.includes(request.model_id)) return this.#refuse(CARTESIA_ERRORS.modelGone, contextId);
    const isEmpty = !/[\p{L}\p{N}]/u.test(transcript);
    if (!known && isEmpty) return this.#offend(CARTESIA_ERRORS.emptyText, contextId);
    if (!known && this.#tts.contexts.size >= this.#tts.maxContexts) {
      return this.#refuse(CARTESIA_ERRORS.tooMany, contextId);
    }
    this.#tts.requests.push(request);
    this.#tts.billedCharacters += transcript.length;
    const context = known ?? this.#begin(request);
    context?.speak(request);
  }

  /** Returns null when a fault refuses it. */
  #begin(request: GenerationRequest): TtsContext | null {
    const fault = this.#tts.faults.shift() ?? {};
    if (fault.error) {
      this.#refuse(fault.error, request.context_id);
      return null;
    }
    const context = new TtsContext(this.#tts, this.#end, request, fault);
    this.#contexts.set(request.context_id, context);
    return context;
  }

  #offend(cause: CartesiaError, contextId: string | null): void {
    this.#tts.offences.push(cause.message);
    this.#refuse(cause, contextId);
  }

  #refuse(cause: CartesiaError, contextId: string | null): void {
    this.#end.send(errorMessage(cause, contextId));
  }

  #awaitWork(): void {
    this.#cancelIdle();
    this.#cancelIdle = this.#tts.clock.after(IDLE_MS, () =>
      this.#end.socket.close(1000, 'connection idle timeout'),
    );
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
