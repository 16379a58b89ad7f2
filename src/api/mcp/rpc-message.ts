import { isRecord, JsonRefused, parseJson } from '../../base/json.ts';
import { type BytesReply, type ReplyHeaders, replyBytes } from '../http/answer/reply.ts';

/** The current protocol, which has no sessions. */
export const MODERN_VERSION = '2026-07-28';

/** Id of a JSON-RPC 2.0 request. */
export type RpcId = string | number;

/** A well-formed JSON-RPC request. */
export interface RpcRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>> | undefined;
}

export const JSON_TYPE = 'application/json';
export const EVENTS_TYPE = 'text/event-stream';

/** Event streams must not be cached, changed or buffered by proxies. */
export const EVENTS_HEADERS: ReplyHeaders = {
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

const REQUEST_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

/** Parses JSON; undefined if it is invalid. Throws JsonRefused. */
export function jsonOf(bytes: Uint8Array): unknown {
  try {
    return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch (error) {
    if (error instanceof JsonRefused) throw error;
    return undefined;
  }
}

/** Progress tokens have the same form. */
export function isRpcId(value: unknown): value is RpcId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** Whether a record has only these keys. */
export function hasOnly(record: object, keys: ReadonlySet<string>): boolean {
  for (const key in record) if (!keys.has(key)) return false;
  return true;
}

/** Reads a body as a well-formed request. Null: anything else, which is left to the SDK. */
export function plainRequest(body: unknown): RpcRequest | null {
  if (!isRecord(body) || body.jsonrpc !== '2.0' || !hasOnly(body, REQUEST_KEYS)) return null;
  const { id, method, params } = body;
  if (!isRpcId(id) || typeof method !== 'string') return null;
  return params === undefined || isRecord(params) ? { id, method, params } : null;
}

/** The id of the request that a `notifications/cancelled` cancels; null for any other message. */
export function cancelledId(body: unknown): RpcId | null {
  if (!isRecord(body) || body.method !== 'notifications/cancelled' || 'id' in body) return null;
  const requestId = isRecord(body.params) ? body.params.requestId : null;
  return isRpcId(requestId) ? requestId : null;
}

/** An error without a request id, with the texts and codes of the SDK. */
export function rpcError(status: number, code: number, message: string): BytesReply {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
  return replyBytes(status, JSON_TYPE, body);
}

/** The refusal of a request for a stream by a client that takes none, as the SDK words it. */
export function notAcceptable(): BytesReply {
  return rpcError(406, -32_000, 'Not Acceptable: Client must accept text/event-stream');
}

/** The text around each message of an event stream. */
export const EVENT_HEAD = 'event: message\ndata: ';
export const EVENT_TAIL = '\n\n';

/** One message of an event stream. `id`: where a client resumes after it. */
export function eventFrame(data: string, id?: string): string {
  return id === undefined
    ? `${EVENT_HEAD}${data}${EVENT_TAIL}`
    : `event: message\nid: ${id}\ndata: ${data}${EVENT_TAIL}`;
}

/** The reply to a request that was cancelled: a stream that ends without a message. */
export function noAnswer(): BytesReply {
  return replyBytes(200, EVENTS_TYPE, '', EVENTS_HEADERS);
}

/** Keeps proxies from closing an idle stream. */
export const KEEP_ALIVE_FRAME = ': keepalive\n\n';
export const KEEP_ALIVE_MS = 15_000;
