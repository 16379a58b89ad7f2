import { JsonTooDeep, parseJson } from '../../base/json.ts';
import { type BytesReply, type ReplyHeaders, replyBytes } from '../http/reply.ts';

/** JSON-RPC 2.0, as far as it is read before the SDK reads it. */
export type RpcId = string | number;

/** A request with nothing unusual about it. */
export interface RpcRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>> | undefined;
}

export const JSON_TYPE = 'application/json';
export const EVENTS_TYPE = 'text/event-stream';

/** What stream answers carry: no proxy may keep, change or hold back any of them. */
export const EVENTS_HEADERS: ReplyHeaders = {
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

const REQUEST_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

/** JSON, read without a word about what is wrong with it; undefined: it is none. Throws JsonTooDeep. */
export function jsonOf(bytes: Uint8Array): unknown {
  try {
    return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch (error) {
    if (error instanceof JsonTooDeep) throw error;
    return undefined;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isRpcId(value: unknown): value is RpcId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** Whether a record has no keys but these. */
export function hasOnly(record: object, keys: ReadonlySet<string>): boolean {
  for (const key in record) if (!keys.has(key)) return false;
  return true;
}

/** A body as a plain request; null: it is something else, or has something about it that only the SDK should judge. */
export function plainRequest(body: unknown): RpcRequest | null {
  if (!isRecord(body) || body.jsonrpc !== '2.0' || !hasOnly(body, REQUEST_KEYS)) return null;
  const { id, method, params } = body;
  if (!isRpcId(id) || typeof method !== 'string') return null;
  return params === undefined || isRecord(params) ? { id, method, params } : null;
}

/** The request that a `notifications/cancelled` is about; null: the body is something else. */
export function cancelledId(body: unknown): RpcId | null {
  if (!isRecord(body) || body.method !== 'notifications/cancelled' || 'id' in body) return null;
  const requestId = isRecord(body.params) ? body.params.requestId : null;
  return isRpcId(requestId) ? requestId : null;
}

/** An error that belongs to no request that could be told, in the words and with the codes of the SDK. */
export function rpcError(status: number, code: number, message: string): BytesReply {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
  return replyBytes(status, JSON_TYPE, body);
}

/** What stands before a message of an event stream, and behind it. */
export const EVENT_HEAD = 'event: message\ndata: ';
export const EVENT_TAIL = '\n\n';

/** One message of an event stream. `id`: where the client goes on after it. */
export function eventFrame(data: string, id?: string): string {
  return id === undefined
    ? `${EVENT_HEAD}${data}${EVENT_TAIL}`
    : `event: message\nid: ${id}\ndata: ${data}${EVENT_TAIL}`;
}

/** What is left to say to a request that was cancelled: a stream that ends without a message. */
export function noAnswer(): BytesReply {
  return replyBytes(200, EVENTS_TYPE, '', EVENTS_HEADERS);
}

/** What keeps proxies from cutting a stream on which nothing happens. */
export const KEEP_ALIVE_FRAME = ': keepalive\n\n';
export const KEEP_ALIVE_MS = 15_000;
