import { EventStreamCodec } from '@smithy/eventstream-codec';
import { piecesOf, type ReplyPart } from '../model-vendor/scripted-reply.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
);

/** Writes one message, by the vendor's own package. */
export function frame(headers: Readonly<Record<string, string>>, payload: object): Uint8Array {
  const typed = Object.entries(headers).map(([name, value]) => [name, { type: 'string', value } as const]);
  return codec.encode({ headers: Object.fromEntries(typed), body: Buffer.from(JSON.stringify(payload)) });
}

/** Events have padding, against guesses by their size. */
export function eventFrame(type: string, payload: object): Uint8Array {
  const headers = {
    ':event-type': type,
    ':content-type': 'application/json',
    ':message-type': 'event',
  };
  return frame(headers, { ...payload, p: 'abcdefgh' });
}

/** An exception after the 200. Its name begins in lower case. */
export function exceptionFrame(name: string, message: string): Uint8Array {
  const headers = {
    ':exception-type': name,
    ':content-type': 'application/json',
    ':message-type': 'exception',
  };
  return frame(headers, { message });
}

/** Writes one reply from its parts: events for a stream, and the whole for an answer without one. */
export class ConverseRun {
  text = '';
  stopReason = 'end_turn';
  #block = 0;

  /** Yields the frames of a reply, up to the one that ends it: `stopReason`, or an exception. */
  async *frames(parts: AsyncIterable<ReplyPart>): AsyncGenerator<Uint8Array, boolean> {
    yield eventFrame('messageStart', { role: 'assistant' });
    for await (const part of parts) {
      switch (part.kind) {
        case 'text':
        case 'commentary':
          yield* this.#textBlock(part.text);
          break;
        case 'reasoning':
          yield* this.#reasoningBlock(part.text);
          break;
        case 'length':
          this.stopReason = 'max_tokens';
          return true;
        case 'filtered':
          this.stopReason = 'content_filtered';
          return true;
        case 'failure':
          yield exceptionFrame(part.code, part.message);
          return false;
        // Models have no tools, and decline in their text.
        case 'tool':
        case 'approval':
        case 'refusal':
          break;
      }
    }
    return true;
  }

  *#textBlock(text: string): Generator<Uint8Array, void> {
    this.text += text;
    for (const piece of piecesOf(text))
      yield eventFrame('contentBlockDelta', { contentBlockIndex: this.#block, delta: { text: piece } });
    yield* this.#stop();
  }

  *#reasoningBlock(text: string): Generator<Uint8Array, void> {
    const contentBlockIndex = this.#block;
    yield eventFrame('contentBlockDelta', { contentBlockIndex, delta: { reasoningContent: { text } } });
    const signed = { reasoningContent: { signature: 'c2lnbmF0dXJl' } };
    yield eventFrame('contentBlockDelta', { contentBlockIndex, delta: signed });
    yield* this.#stop();
  }

  *#stop(): Generator<Uint8Array, void> {
    yield eventFrame('contentBlockStop', { contentBlockIndex: this.#block });
    this.#block += 1;
  }
}
