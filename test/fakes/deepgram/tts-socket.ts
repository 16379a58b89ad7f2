import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../../src/base/time.ts';
import { faultOf, faultOfQuery, isNumeral, isOneOf, isText, type Shape } from '../shape.ts';
import { SpeechSockets, type UpgradeRefusal, type VendorEnd } from '../speech-sockets.ts';
import { type ToneFormat, toneSpeech } from '../tone-speech.ts';
import { BAD_KEY, deepgramRefusal, hasKey } from './deepgram-errors.ts';

const isTrueOrFalse = isOneOf('true', 'false');

/** Parameters of `/v1/speak` in deepgram-api-specs/asyncapi.yml. */
const QUERY: Shape = {
  model: (value) => /^aura-(?:2-)?[a-z]+-(?:en|es|de|nl|fr|it|ja)$/.test(`${value}`),
  'encoding?': isOneOf('linear16', 'mulaw', 'alaw'),
  'sample_rate?': isOneOf('8000', '16000', '24000', '32000', '48000'),
  'speed?': isNumeral(0.7, 1.5),
  'mip_opt_out?': isTrueOrFalse,
};
const MESSAGES: Readonly<Record<string, Shape>> = {
  Speak: { type: isText, text: isText },
  Flush: { type: isText },
  Clear: { type: isText },
  Close: { type: isText },
};
const MAX_CHARACTERS = 2_000;
const MAX_FLUSHES = 20;
const FLUSH_WINDOW_MS = 60_000;
/** Frames of audio are cut within a sample. */
const FRAME_BYTES = 1_601;

/** Deepgram's text-to-speech socket. It speaks tone speech. */
export class DeepgramTtsSocket extends SpeechSockets {
  /** Every text that it was asked to speak, in order. */
  readonly texts: string[] = [];
  /** Delay before each frame of audio. 0: all at once. */
  paceMs = 0;
  readonly #key: string;
  readonly #clock: Clock;

  constructor(key: string, clock: Clock) {
    super();
    this.#key = key;
    this.#clock = clock;
  }

  protected matches(path: string): boolean {
    return path === '/v1/speak';
  }

  protected refusalOf({ searchParams: query }: URL, headers: IncomingHttpHeaders): UpgradeRefusal | null {
    if (!hasKey(headers, this.#key)) return BAD_KEY;
    const isG711 = query.get('encoding') === 'mulaw' || query.get('encoding') === 'alaw';
    const rateFault = isG711 && Number(query.get('sample_rate')) > 16_000 ? 'sample_rate is too high' : null;
    const fault = faultOfQuery(query, QUERY) ?? rateFault;
    if (fault === null) return null;
    this.offences.push(fault);
    return deepgramRefusal(400, 'INVALID_QUERY_PARAMETER', fault);
  }

  protected open(end: VendorEnd, { searchParams }: URL): void {
    const session = new SpeakSession(end, searchParams, {
      clock: this.#clock,
      paceMs: () => this.paceMs,
      asked: (text) => this.texts.push(text),
      offend: (offence) => this.offences.push(offence),
    });
    end.socket.on('message', (data: Buffer, isBinary) => session.take(data, isBinary));
    end.socket.on('close', () => session.stop());
  }
}

interface SpeakDeps {
  readonly clock: Clock;
  readonly paceMs: () => number;
  readonly asked: (text: string) => void;
  readonly offend: (offence: string) => void;
}

/** One connection to `/v1/speak`. */
class SpeakSession {
  readonly #end: VendorEnd;
  readonly #format: ToneFormat;
  readonly #deps: SpeakDeps;
  #text = '';
  /** Audio, and what is sent after it. */
  #queue: (Uint8Array | object)[] = [];
  #sequence = 0;
  readonly #flushes: number[] = [];
  #cancelTimer: (() => void) | null = null;

  constructor(end: VendorEnd, query: URLSearchParams, deps: SpeakDeps) {
    this.#end = end;
    this.#deps = deps;
    this.#format = {
      encoding: (query.get('encoding') ?? 'linear16') === 'linear16' ? 's16le' : 'mulaw',
      sampleRateHz: Number(query.get('sample_rate') ?? 24_000),
    };
    end.send({
      type: 'Metadata',
      request_id: '0d7f2e0c-0000-4000-8000-000000000007',
      model_name: query.get('model'),
      model_version: '2025-04-07.0',
      model_uuid: '0d7f2e0c-0000-4000-8000-000000000008',
    });
  }

  take(data: Buffer, isBinary: boolean): void {
    const message = isBinary ? null : (JSON.parse(data.toString('utf8')) as { type: string; text: string });
    const shape = MESSAGES[message?.type ?? ''];
    const fault = shape ? faultOf(message, shape) : 'not a message';
    if (message === null || fault !== null) return this.#refuse(fault ?? 'binary');
    switch (message.type) {
      case 'Speak':
        if (message.text.length > MAX_CHARACTERS) return this.#refuse('text is too long');
        this.#text += message.text;
        this.#deps.asked(message.text);
        break;
      case 'Flush':
        this.#flush();
        break;
      case 'Clear':
        this.#clear();
        break;
      default:
        this.stop();
        this.#end.socket.close(1000);
    }
  }

  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#queue = [];
  }

  /** The 21st within a minute is ignored. */
  #flush(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    while (this.#flushes.length > 0 && nowMs - this.#flushes[0]! >= FLUSH_WINDOW_MS) this.#flushes.shift();
    if (this.#flushes.length >= MAX_FLUSHES) {
      this.#deps.offend('too many Flush messages');
      const description = 'Flush limit exceeded: at most 20 in 60 seconds';
      return this.#end.send({ type: 'Warning', description, code: 'EXCEEDED_FLUSH_LIMIT' });
    }
    this.#flushes.push(nowMs);
    const audio = toneSpeech(this.#text, this.#format);
    this.#text = '';
    for (let at = 0; at < audio.length; at += FRAME_BYTES)
      this.#queue.push(audio.subarray(at, at + FRAME_BYTES));
    this.#queue.push({ type: 'Flushed', sequence_id: this.#sequence++ });
    this.#speak();
  }

  /** One frame is already on its way. */
  #clear(): void {
    const late = this.#queue.find((item) => item instanceof Uint8Array);
    this.stop();
    this.#text = '';
    if (late) this.#end.send(late);
    this.#end.send({ type: 'Cleared', sequence_id: this.#sequence++ });
  }

  #speak(): void {
    if (this.#cancelTimer !== null) return;
    const paceMs = this.#deps.paceMs();
    while (paceMs === 0 && this.#queue.length > 0) this.#end.send(this.#queue.shift()!);
    if (this.#queue.length === 0) return;
    this.#cancelTimer = this.#deps.clock.after(paceMs, () => {
      this.#cancelTimer = null;
      this.#end.send(this.#queue.shift()!);
      this.#speak();
    });
  }

  #refuse(fault: string): void {
    this.#deps.offend(fault);
    this.#end.socket.close(1008, `DATA-0001: ${fault}`);
  }
}
