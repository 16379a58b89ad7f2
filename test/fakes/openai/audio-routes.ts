import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { type Clock, systemClock } from '../../../src/base/time.ts';
import type { VendorPart } from '../speech-host.ts';
import { toneSpeech, understand } from '../tone-speech.ts';
import { AudioError, badKey, badRequest, modelGone } from './audio-errors.ts';
import { type Transcription, transcribe, type Understand } from './transcription.ts';

const VOICES = [
  'alloy',
  'ash',
  'ballad',
  'coral',
  'echo',
  'fable',
  'onyx',
  'nova',
  'sage',
  'shimmer',
  'verse',
  'marin',
  'cedar',
] as const;
/** Those of tts-1 and tts-1-hd. */
const OLD_VOICES: readonly string[] = [
  'alloy',
  'ash',
  'coral',
  'echo',
  'fable',
  'onyx',
  'nova',
  'sage',
  'shimmer',
];
const SPEECH_MODELS = ['tts-1', 'tts-1-hd', 'gpt-4o-mini-tts', 'gpt-4o-mini-tts-2025-12-15'];

/** SpeechCreateParams of the openai package, 7.57.0. */
const SpeechRequest = z.strictObject({
  model: z.string(),
  input: z.string().min(1).max(4_096),
  voice: z.union([z.enum(VOICES), z.strictObject({ id: z.string() })]),
  instructions: z.string().optional(),
  response_format: z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']).optional(),
  speed: z.number().min(0.25).max(4).optional(),
  stream_format: z.enum(['audio', 'sse']).optional(),
});

export type SpeechRequest = z.output<typeof SpeechRequest>;

/** 24 kHz, s16le. */
const PCM = { encoding: 's16le', sampleRateHz: 24_000 } as const;
/** A whole number of samples and a half. */
const CHUNK_BYTES = 4_801;
const MP3_HEAD = Buffer.from('ID3\u0004');
const MAX_BODY_BYTES = 25 * 1_048_576;

/** What happens to a request that is otherwise right. */
export interface AudioFault {
  readonly error?: AudioError;
  /** Time before the head of the answer. */
  readonly delayMs?: number;
  /** The connection is cut when this much of the answer has been sent. */
  readonly cutAfterBytes?: number;
  /** Nothing more is sent after this much of the answer. */
  readonly stallAfterBytes?: number;
  /** The answer has this type, whatever was asked. */
  readonly contentType?: string;
}

/** The part of OpenAI's API that speaks and understands: `/v1/audio/speech` and `/v1/audio/transcriptions`. */
export class OpenAiAudio implements VendorPart {
  readonly key: string;
  /** Models that are no longer there. */
  readonly goneModels = new Set<string>();
  readonly speeches: SpeechRequest[] = [];
  readonly transcriptions: Transcription[] = [];
  /** Violations of the API: tests expect none. */
  readonly offences: string[] = [];
  /** Faults of the next requests, one each. Null: none. */
  readonly faults: (AudioFault | null)[] = [];
  openRequests = 0;
  mostOpenRequests = 0;
  /** Requests that the client gave up. */
  abortedRequests = 0;
  /** How recordings are understood: as tone speech. */
  understand: Understand = understand;

  readonly #clock: Clock;

  constructor(key = 'sk-proj-FakeKeyOfOpenAi0123456789', clock: Clock = systemClock) {
    this.key = key;
    this.#clock = clock;
  }

  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const answer = this.#routes[request.url ?? ''];
    if (!answer) return false;
    this.openRequests += 1;
    this.mostOpenRequests = Math.max(this.mostOpenRequests, this.openRequests);
    response.on('close', () => {
      this.openRequests -= 1;
      if (!response.writableFinished) this.abortedRequests += 1;
    });
    answer.call(this, request, response).catch((error: unknown) => {
      if (error instanceof AudioError) this.#refuse(response, error);
      else response.destroy();
    });
    return true;
  }

  readonly #routes: Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>> = {
    '/v1/audio/speech': this.#speak,
    '/v1/audio/transcriptions': this.#transcribe,
  };

  async #speak(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await this.#body(request, 'application/json');
    const { data: wanted, error } = SpeechRequest.safeParse(parse(body));
    if (!wanted) throw this.#offence(badRequest(error));
    if (this.#isGone(wanted.model, SPEECH_MODELS)) throw modelGone(wanted.model);
    if (wanted.model.startsWith('tts-1') && !OLD_VOICES.includes(`${wanted.voice}`)) {
      throw this.#offence(new AudioError(400, `Voice is not supported by ${wanted.model}`));
    }
    this.speeches.push(wanted);
    const fault = await this.#fault(response);
    const isPcm = wanted.response_format === 'pcm';
    const contentType = fault.contentType ?? (isPcm ? 'audio/pcm' : 'audio/mpeg');
    const audio = isPcm ? toneSpeech(wanted.input, PCM) : MP3_HEAD;
    await send(response, { contentType, audio, fault });
  }

  async #transcribe(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const type = request.headers['content-type'] ?? '';
    const body = await this.#body(request, 'multipart/form-data');
    const form = await new Response(body, { headers: { 'content-type': type } }).formData();
    const transcription = await transcribe(form, this.understand).catch((error: unknown) => {
      throw error instanceof AudioError ? this.#offence(error) : error;
    });
    if (this.goneModels.has(transcription.model)) throw modelGone(transcription.model);
    this.transcriptions.push(transcription);
    const fault = await this.#fault(response);
    const audio = Buffer.from(JSON.stringify(transcription.answer));
    await send(response, { contentType: 'application/json', audio, fault });
  }

  async #body(request: IncomingMessage, contentType: string): Promise<Buffer<ArrayBuffer>> {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > MAX_BODY_BYTES)
        throw this.#offence(new AudioError(413, 'Maximum content size limit exceeded'));
      chunks.push(chunk);
    }
    if (request.method !== 'POST') {
      throw this.#offence(new AudioError(405, `Not allowed to ${request.method} on ${request.url}`));
    }
    const { authorization, 'content-type': type = '' } = request.headers;
    if (authorization !== `Bearer ${this.key}`) throw badKey(authorization);
    if (!type.startsWith(contentType))
      throw this.#offence(new AudioError(400, `Unsupported content type: '${type}'`));
    return Buffer.concat(chunks);
  }

  /** The request's fault, after its delay. */
  async #fault(response: ServerResponse): Promise<AudioFault> {
    const fault = this.faults.shift() ?? {};
    if (fault.delayMs) await waitOpen(response, fault.delayMs, this.#clock);
    if (fault.error) throw fault.error;
    return fault;
  }

  #isGone(model: string, models: readonly string[]): boolean {
    return this.goneModels.has(model) || !models.includes(model);
  }

  #offence(error: AudioError): AudioError {
    this.offences.push(error.message);
    return error;
  }

  #refuse(response: ServerResponse, { status, body, headers }: AudioError): void {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  }
}

interface AudioAnswer {
  readonly contentType: string;
  readonly audio: Uint8Array;
  readonly fault: AudioFault;
}

async function send(response: ServerResponse, { contentType, audio, fault }: AudioAnswer): Promise<void> {
  response.writeHead(200, { 'content-type': contentType, 'transfer-encoding': 'chunked' });
  const end = Math.min(fault.cutAfterBytes ?? audio.length, fault.stallAfterBytes ?? audio.length);
  response.flushHeaders();
  for (let at = 0; at < end && !response.destroyed; at += CHUNK_BYTES) {
    const isTaken = response.write(audio.subarray(at, Math.min(end, at + CHUNK_BYTES)));
    // Each chunk in a packet of its own.
    await new Promise(setImmediate);
    if (!isTaken) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  if (fault.cutAfterBytes !== undefined) response.destroy();
  else if (fault.stallAfterBytes === undefined) response.end();
}

/** Waits, or until the client is gone. */
async function waitOpen(response: ServerResponse, durationMs: number, clock: Clock): Promise<void> {
  await new Promise<void>((resolve) => {
    const cancel = clock.after(durationMs, resolve);
    response.once('close', () => {
      cancel();
      resolve();
    });
  });
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new AudioError(400, 'We could not parse the JSON body of your request.');
  }
}
