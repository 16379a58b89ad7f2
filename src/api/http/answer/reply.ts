/** An array of values is sent as one header line per value. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * What became of a reply in memory. `written`: the connection has taken all of it. `unwritten`: the client had
 * disconnected before, and got nothing. `unclear`: it disconnected meanwhile.
 */
export type ReplyEnd = 'written' | 'unwritten' | 'unclear';

export interface JsonReply<Status extends number = number, Body = unknown> {
  readonly kind: 'json';
  readonly status: Status;
  readonly body: Body;
  /** The body as serialized JSON, if available. */
  readonly text?: string;
  readonly headers?: ReplyHeaders | undefined;
  /** Called once. */
  readonly ended?: ((end: ReplyEnd) => void) | undefined;
}

export interface EmptyReply<Status extends number = number> {
  readonly kind: 'empty';
  readonly status: Status;
  readonly headers?: ReplyHeaders | undefined;
}

export interface BytesReply<Status extends number = number> {
  readonly kind: 'bytes';
  readonly status: Status;
  readonly contentType: string;
  readonly body: Bytes;
  readonly headers?: ReplyHeaders | undefined;
  /** Called once. */
  readonly ended?: ((end: ReplyEnd) => void) | undefined;
}

/** Long bodies that are sent repeatedly are kept in pieces, so that answers do not copy them. */
export type Bytes = Piece | readonly Piece[];
export type Piece = string | Uint8Array;

export function byteLength(body: Bytes): number {
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.byteLength(body);
  return body.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
}

export interface StreamReply<Status extends number = number> {
  readonly kind: 'stream';
  readonly status: Status;
  readonly contentType: string;
  readonly body: AsyncIterable<Uint8Array | string>;
  /** Total size if known in advance; otherwise the answer is chunked. */
  readonly lengthBytes?: number | undefined;
  readonly headers?: ReplyHeaders | undefined;
}

/** A handler's reply. */
export type Reply = JsonReply | EmptyReply | BytesReply | StreamReply;

/** Answers with JSON. */
export function reply<Status extends number, Body>(
  status: Status,
  body: Body,
  headers?: ReplyHeaders,
): JsonReply<Status, Body> {
  return { kind: 'json', status, body, headers };
}

/**
 * Creates JSON replies and caches them, for sources that are the same object until something changes: clients that poll
 * get the same serialized reply.
 */
export function cachedReplies<Source extends object, Body>(
  bodyOf: (source: Source) => Body,
): (source: Source) => JsonReply<200, Body> {
  const known = new WeakMap<Source, JsonReply<200, Body>>();
  return (source) => {
    const former = known.get(source);
    if (former !== undefined) return former;
    const body = bodyOf(source);
    const made = { ...reply(200, body), text: JSON.stringify(body) };
    known.set(source, made);
    return made;
  };
}

/** Answers with a status and no body. */
export function replyEmpty<Status extends number>(
  status: Status,
  headers?: ReplyHeaders,
): EmptyReply<Status> {
  return { kind: 'empty', status, headers };
}

/** Answers with text or bytes already in memory. */
export function replyBytes<Status extends number>(
  status: Status,
  contentType: string,
  body: Bytes,
  headers?: ReplyHeaders,
): BytesReply<Status> {
  return { kind: 'bytes', status, contentType, body, headers };
}

/**
 * Answers with a streamed body. The next chunk is requested when the client has room for it, and the iterator is closed
 * when the client disconnects.
 */
export function replyStream<Status extends number>(
  status: Status,
  contentType: string,
  body: AsyncIterable<Uint8Array | string>,
  options: { lengthBytes?: number; headers?: ReplyHeaders } = {},
): StreamReply<Status> {
  return { kind: 'stream', status, contentType, body, ...options };
}
