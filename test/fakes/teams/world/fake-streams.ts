import type { StreamInfo } from '../rest/activity-schema.ts';
import { offence, TeamsError } from '../rest/teams-error.ts';

const MAX_INFORMATIVE = 1_000;
/** "one request per second" */
const EVERY_MS = 1_000;

interface StreamedMessage {
  readonly id: string;
  text: string;
}

/** A chat, as its streams need it. */
interface StreamedChat {
  readonly kind: string;
  /** A message that nobody sees yet. */
  drafted(): StreamedMessage;
  /** Shows such a message, once. */
  show(message: StreamedMessage): void;
}

interface Stream {
  readonly message: StreamedMessage;
  readonly beganMs: number;
  lastMs: number;
  sequence: number;
  state: 'open' | 'final' | 'stopped';
}

/** The streams of one chat (https://learn.microsoft.com/microsoftteams/platform/bots/streaming-ux), by the words of its errors. */
export class FakeStreams {
  readonly #chat: StreamedChat;
  readonly #streams = new Map<string, Stream>();
  #lifetimeMs = 120_000;
  /** What the bar has shown. */
  readonly informed: { readonly text: string; readonly atMs: number }[] = [];
  /** Requests that came too soon after the one before. */
  hurried = 0;

  constructor(chat: StreamedChat) {
    this.#chat = chat;
  }

  /** Takes a part of a message. Returns the id of the stream that it begins; null: it goes on with one. */
  part({ streamId, streamType, streamSequence = 0 }: StreamInfo, text: string): string | null {
    if (this.#chat.kind !== 'personal')
      throw new TeamsError(405, 'MethodNotAllowed', 'Method Not Allowed', true);
    if (text === '') throw offence('Start streaming activities should include text', 'BadRequest');
    if (streamType === 'informative' && text.length > MAX_INFORMATIVE)
      throw offence('Informative message is too long', 'BadRequest');
    const stream = streamId === undefined ? this.#begin(streamSequence) : this.#open(streamId);
    if (streamId !== undefined) this.#goOn(stream, streamSequence);
    if (streamType === 'informative') this.informed.push({ text, atMs: Date.now() });
    else this.#grow(stream, text);
    return streamId === undefined ? stream.message.id : null;
  }

  /** Ends a stream with the whole message. */
  end(streamId: string, text: string): void {
    const stream = this.#open(streamId);
    this.#requireGrowth(stream, text, 400);
    stream.message.text = text;
    stream.state = 'final';
    this.#show(stream);
  }

  /** The person presses "Stop". */
  stop(): void {
    for (const stream of this.#streams.values()) if (stream.state === 'open') stream.state = 'stopped';
  }

  /** Their two minutes are over. */
  expire(): void {
    this.#lifetimeMs = -1;
  }

  /** Whether a message is still written, and cannot be edited. */
  isOpen(id: string): boolean {
    return this.#streams.get(id)?.state === 'open' && !this.#isLate(this.#streams.get(id)!);
  }

  forget(id: string): void {
    this.#streams.delete(id);
  }

  #begin(sequence: number): Stream {
    if (sequence !== 1) throw offence('The first sequence must be 1', 'BadRequest');
    for (const { message } of this.#streams.values())
      if (this.isOpen(message.id)) throw notAllowed('Content stream is not allowed');
    const message = this.#chat.drafted();
    const nowMs = Date.now();
    const stream: Stream = { message, beganMs: nowMs, lastMs: nowMs, sequence, state: 'open' };
    this.#streams.set(message.id, stream);
    return stream;
  }

  #open(streamId: string): Stream {
    const stream = this.#streams.get(streamId);
    if (!stream) throw new TeamsError(404, 'ActivityNotFoundInConversation', 'Unknown activity');
    if (stream.state === 'final')
      throw notAllowed('Content stream is not allowed on an already completed streamed message');
    if (stream.state === 'stopped') throw notAllowed('Content stream was canceled by user');
    if (this.#isLate(stream)) throw notAllowed('Content stream finished due to exceeded streaming time.');
    return stream;
  }

  #isLate({ beganMs }: Stream): boolean {
    return Date.now() - beganMs > this.#lifetimeMs;
  }

  #goOn(stream: Stream, sequence: number): void {
    if (sequence <= stream.sequence)
      throw offence('PreCondition failed exception', 'ContentStreamSequenceOrderPreConditionFailed');
    if (Date.now() - stream.lastMs < EVERY_MS) this.hurried += 1;
    stream.sequence = sequence;
    stream.lastMs = Date.now();
  }

  #grow(stream: Stream, text: string): void {
    this.#requireGrowth(stream, text, 403);
    stream.message.text = text;
    this.#show(stream);
  }

  #requireGrowth({ message }: Stream, text: string, status: number): void {
    if (text.startsWith(message.text)) return;
    const words = 'Request streamed content should contain the previously streamed content';
    throw new TeamsError(status, status === 400 ? 'BadRequest' : 'ContentStreamNotAllowed', words);
  }

  /** What was streamed stays, whatever becomes of the stream. */
  #show({ message }: Stream): void {
    this.#chat.show(message);
  }
}

function notAllowed(words: string): TeamsError {
  return new TeamsError(403, 'ContentStreamNotAllowed', words);
}
