/** Several values of a header go out as several lines. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>;

export interface JsonReply<Status extends number = number, Body = unknown> {
  readonly kind: 'json';
  readonly status: Status;
  readonly body: Body;
  /** The body as JSON, where it is known already. */
  readonly text?: string;
  readonly headers?: ReplyHeaders | undefined;
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
}

/** In pieces where a long one is sent again and again, so that no answer has to make a copy. */
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
  /** Total size when it is known beforehand; without it the answer is chunked. */
  readonly lengthBytes?: number | undefined;
  readonly headers?: ReplyHeaders | undefined;
}

/** What a handler answers with. */
export type Reply = JsonReply | EmptyReply | BytesReply | StreamReply;

/** Answers with JSON. */
export function reply<Status extends number, Body>(
  status: Status,
  body: Body,
  headers?: ReplyHeaders,
): JsonReply<Status, Body> {
  return { kind: 'json', status, body, headers };
}

/** Answers with a status and nothing else. */
export function replyEmpty<Status extends number>(
  status: Status,
  headers?: ReplyHeaders,
): EmptyReply<Status> {
  return { kind: 'empty', status, headers };
}

/** Answers with text or bytes that are in memory already. */
export function replyBytes<Status extends number>(
  status: Status,
  contentType: string,
  body: Bytes,
  headers?: ReplyHeaders,
): BytesReply<Status> {
  return { kind: 'bytes', status, contentType, body, headers };
}

/**
 * Answers with a body that is produced while it is sent: the next chunk is asked for when the client has room for it,
 * and the iterator is closed when the client goes away.
 */
export function replyStream<Status extends number>(
  status: Status,
  contentType: string,
  body: AsyncIterable<Uint8Array | string>,
  options: { lengthBytes?: number; headers?: ReplyHeaders } = {},
): StreamReply<Status> {
  return { kind: 'stream', status, contentType, body, ...options };
}
