import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import { parseJson } from '../../base/json.ts';
import { ModelFault } from '../model-fault.ts';

/** Limit of an answer, streamed or not. */
const MAX_ANSWER_BYTES = 8 * 1_048_576;
const MAX_EVENT_CHARACTERS = 4 * 1_048_576;
const MAX_FAULT_CHARACTERS = 8_192;
/** Time for the end of an answer whose reader has left. */
const REST_MS = 250;

/** Reads a whole answer. Returns its JSON, or its text when it is none. `signal` is the request's. Rejects with a ModelFault. */
export async function readJson(answer: IncomingMessage, signal: AbortSignal): Promise<unknown> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  for await (const chunk of chunksOf(answer, signal)) text += decoder.write(chunk);
  text += decoder.end();
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** One event of a stream: its name, empty if it has none, and its JSON, or the text when it is none (`[DONE]`). */
export interface StreamedEvent {
  readonly name: string;
  readonly data: unknown;
}

/**
 * Yields the server-sent events of an answer, and the JSON after them, if any: some providers report a fault in a stream as
 * they would before it (https://github.com/googleapis/js-genai/issues/1973). The caller decides whether the last one is
 * the end of a reply. Rejects with a ModelFault.
 */
export async function* streamedEvents(
  answer: IncomingMessage,
  signal: AbortSignal,
): AsyncGenerator<StreamedEvent, void> {
  const decoder = new StringDecoder('utf8');
  const ready: StreamedEvent[] = [];
  let end = '';
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent: ({ event, data }) => ready.push({ name: event ?? '', data: jsonOf(data) }),
  });
  for await (const chunk of chunksOf(answer, signal)) {
    const text = decoder.write(chunk);
    end = (end + text).slice(-MAX_FAULT_CHARACTERS);
    try {
      parser.feed(text);
    } catch (cause) {
      throw new ModelFault('cut', { words: 'the stream cannot be read', isDoubtful: true }, { cause });
    }
    yield* ready.splice(0);
  }
  // Some copies of an API end without the empty line after the last event.
  parser.feed(`${decoder.end()}\n\n`);
  yield* ready;
  const bareAt = end.lastIndexOf('\n{');
  if (bareAt >= 0) yield { name: '', data: jsonOf(end.slice(bareAt)) };
}

/** Yields the bytes of an answer. What a caller leaves unread is discarded. */
export async function* chunksOf(answer: IncomingMessage, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  let sizeBytes = 0;
  try {
    for await (const chunk of answer.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > MAX_ANSWER_BYTES) {
        throw new ModelFault('cut', { words: 'the answer is too long', isDoubtful: true });
      }
      yield chunk;
    }
    // What was unread at the abort is lost.
    signal.throwIfAborted();
  } catch (cause) {
    answer.destroy();
    signal.throwIfAborted();
    if (cause instanceof ModelFault) throw cause;
    throw new ModelFault('cut', { words: 'the answer broke off', isDoubtful: true }, { cause });
  } finally {
    discardRest(answer);
  }
}

/** The next turn can use the connection once the answer has ended. One that does not end soon is closed. */
function discardRest(answer: IncomingMessage): void {
  if (answer.readableEnded || answer.destroyed) return;
  const timer = setTimeout(() => answer.destroy(), REST_MS);
  answer.once('close', () => clearTimeout(timer));
  answer.on('error', () => {});
  answer.resume();
}

function jsonOf(data: string): unknown {
  try {
    return parseJson(data);
  } catch {
    return data;
  }
}
