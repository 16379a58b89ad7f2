import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import { parseForeignJson } from '../../base/json.ts';
import { type Reader, ReadingRefused } from '../../base/reading-time.ts';
import type { CancelTimer, Clock } from '../../base/time.ts';
import { ModelFault } from '../model-fault.ts';

/** Limit of a streamed answer: two minutes of a hundred tokens a second, each in an event of 600 bytes. */
const MAX_STREAM_BYTES = 8 * 1_048_576;
/** Limit of an answer that is read as a whole. The longest lists of models have 600 KB. */
const MAX_JSON_BYTES = 1_048_576;
/** Limit of an event: the last of a reply repeats all of it, with what the model has read. */
const MAX_EVENT_CHARACTERS = 1_048_576;
/** Limit of events: three minutes of two hundred tokens a second, and as much again. */
const MAX_EVENTS = 75_000;
const MAX_FAULT_CHARACTERS = 8_192;
/** What is read at a time. Even of the shortest events, it has no more than take a few milliseconds. */
const PIECE_BYTES = 2_048;
/** Time and bytes for the end of an answer whose reader has left. */
const REST_MS = 250;
const MAX_REST_BYTES = 65_536;

/** One event of a stream: its name, empty if it has none, and its JSON, or the text when it is none (`[DONE]`). */
export interface StreamedEvent {
  readonly name: string;
  readonly data: unknown;
}

export interface AnswerReading {
  readonly clock: Clock;
  /** Of the account. */
  readonly reader: Reader;
  /** How long the provider may say nothing. */
  readonly idleMs: number;
  /** The request's. */
  readonly signal: AbortSignal;
}

/** A provider's answer. It is read no faster than its account may read. Its methods reject with a ModelFault. */
export class ModelAnswer {
  readonly #answer: IncomingMessage;
  readonly #reading: AnswerReading;

  constructor(answer: IncomingMessage, reading: AnswerReading) {
    this.#answer = answer;
    this.#reading = reading;
  }

  get status(): number {
    return this.#answer.statusCode ?? 0;
  }

  get headers(): IncomingHttpHeaders {
    return this.#answer.headers;
  }

  /** Reads the whole answer. Resolves with its JSON, or with its text when it is none. */
  async json(): Promise<unknown> {
    const { reader, signal } = this.#reading;
    const chunks: Buffer[] = [];
    for await (const chunk of this.#chunks(MAX_JSON_BYTES)) chunks.push(chunk);
    return await admitted(reader.read(signal, () => jsonOf(Buffer.concat(chunks).toString())));
  }

  /**
   * Yields the server-sent events, and after them the error of a field `error` and the JSON that is no event, if any: some
   * providers report a fault in a stream as they would before it (https://github.com/googleapis/js-genai/issues/1973). The
   * caller decides whether the last one is the end of a reply.
   */
  async *events(): AsyncGenerator<StreamedEvent, void> {
    const decoder = new StringDecoder('utf8');
    const end = new LastText(MAX_FAULT_CHARACTERS);
    const events = new EventReader();
    for await (const piece of this.pieces()) {
      const text = decoder.write(piece);
      end.add(text);
      yield* events.push(text);
    }
    // Some copies of an API end without the empty line after the last event.
    yield* events.push(`${decoder.end()}\n\n`);
    const { text } = end;
    const [, error] = ERROR_FIELD.exec(text) ?? [];
    if (error !== undefined) yield { name: 'error', data: { error: jsonOf(error) } };
    const bareAt = text.lastIndexOf('\n{');
    if (bareAt >= 0) yield { name: '', data: jsonOf(text.slice(bareAt)) };
  }

  /** Yields the bytes in pieces, each when it is the account's turn. What takes the caller time counts for the account. */
  async *pieces(): AsyncGenerator<Buffer, void> {
    const { reader, signal } = this.#reading;
    for await (const chunk of this.#chunks(MAX_STREAM_BYTES))
      yield* reader.pieces(chunk, PIECE_BYTES, () => admitted(reader.pieceTurn(signal)));
  }

  /** Yields the bytes as they come. What the caller leaves unread is discarded. */
  async *#chunks(maxBytes: number): AsyncGenerator<Buffer, void> {
    const answer = this.#answer;
    const { signal } = this.#reading;
    let cancelWait = this.#awaitBytes();
    let sizeBytes = 0;
    try {
      for await (const chunk of answer.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        cancelWait();
        sizeBytes += chunk.length;
        if (sizeBytes > maxBytes) throw cut('the answer is too long');
        yield chunk;
        cancelWait = this.#awaitBytes();
      }
      // What was unread at the abort is lost.
      signal.throwIfAborted();
    } catch (cause) {
      answer.destroy();
      signal.throwIfAborted();
      throw cause instanceof ModelFault ? cause : cut('the answer broke off', cause);
    } finally {
      cancelWait();
      discardRest(answer);
    }
  }

  /** Breaks the answer off unless something comes in time. */
  #awaitBytes(): CancelTimer {
    const { clock, idleMs } = this.#reading;
    return clock.after(idleMs, () => this.#answer.destroy(silent(idleMs)));
  }
}

/** Awaits the account's turn to read. */
async function admitted<Result>(turn: Promise<Result>): Promise<Result> {
  try {
    return await turn;
  } catch (error) {
    throw error instanceof ReadingRefused ? cut(error.message, error) : error;
  }
}

/** The fault of a provider that takes a request and says nothing. Asking again would hold the turn's place as long. */
export function silent(waitedMs: number): ModelFault {
  return new ModelFault('cut', { words: `the endpoint said nothing for ${waitedMs / 1_000} s` });
}

/** Reads the events in the pieces of a stream. */
class EventReader {
  #ready: StreamedEvent[] = [];
  #events = 0;
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent: ({ event, data }) => this.#ready.push({ name: event ?? '', data: jsonOf(data) }),
  });

  /** Returns those that are complete now. Throws a ModelFault. */
  push(text: string): readonly StreamedEvent[] {
    try {
      this.#parser.feed(text);
    } catch (cause) {
      throw cut('the stream cannot be read', cause);
    }
    const ready = this.#ready;
    this.#ready = [];
    this.#events += ready.length;
    if (this.#events > MAX_EVENTS) throw cut('the answer has too many events');
    return ready;
  }
}

/** Older builds of llama.cpp report what broke a stream in a field of its own, before the last event (coddy-agent 106). */
const ERROR_FIELD = /^error: *(\{.*\})\r?$/m;

/** The last characters of a text that comes in parts. It is cut only when it has become twice as long. */
class LastText {
  readonly #length: number;
  #parts = '';

  constructor(length: number) {
    this.#length = length;
  }

  get text(): string {
    return this.#parts.slice(-this.#length);
  }

  add(part: string): void {
    this.#parts += part;
    if (this.#parts.length > 2 * this.#length) this.#parts = this.text;
  }
}

function cut(words: string, cause?: unknown): ModelFault {
  return new ModelFault('cut', { words, isDoubtful: true }, { cause });
}

/** The next turn can use the connection once the answer has ended. One that does not end soon is closed. */
function discardRest(answer: IncomingMessage): void {
  if (answer.readableEnded || answer.destroyed) return;
  let restBytes = 0;
  const timer = setTimeout(() => answer.destroy(), REST_MS);
  answer.once('close', () => clearTimeout(timer));
  answer.on('error', () => {});
  answer.on('data', ({ length }: Buffer) => {
    restBytes += length;
    if (restBytes > MAX_REST_BYTES) answer.destroy();
  });
}

function jsonOf(text: string): unknown {
  try {
    return parseForeignJson(text);
  } catch {
    return text;
  }
}
