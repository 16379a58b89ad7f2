import {
  type Reply,
  type ReplyHeaders,
  replyBytes,
  replyEmpty,
  replyStream,
} from '../../http/answer/reply.ts';
import { sdkHeader } from '../accept.ts';
import { MCP_HEADERS, type McpRequest } from '../mcp-request.ts';
import { EVENTS_TYPE } from '../rpc-message.ts';

/** Not used, but a Request needs one. */
const ADDRESS = 'http://gateway/mcp';

/** Response headers of the SDK that we forward; the HTTP server sets the others. */
const KEPT_HEADERS = ['cache-control', 'x-accel-buffering', 'mcp-session-id', 'allow'] as const;

export type HttpVerb = 'GET' | 'POST' | 'DELETE';

/** Converts a request for the SDK, which gets a body that `isParsed` beside it: its bytes may be gone by now. */
export function webRequest(method: HttpVerb, request: McpRequest, isParsed: boolean): Request {
  const headers = new Headers();
  for (const name of MCP_HEADERS) {
    const value = sdkHeader(request, name);
    if (value !== '') headers.set(name, value);
  }
  const body = isParsed ? undefined : request.body;
  const { signal } = request;
  return new Request(ADDRESS, { method, headers, signal, ...(body && { body: new Uint8Array(body) }) });
}

/** Converts a response of the SDK. `signal` aborts when the client disconnects. */
export async function replyOf(response: Response, signal: AbortSignal): Promise<Reply> {
  const { status, body } = response;
  const headers = keptHeaders(response.headers);
  if (body === null) return replyEmpty(status, headers);
  const contentType = response.headers.get('content-type') ?? '';
  if (contentType !== EVENTS_TYPE) return replyBytes(status, contentType, await response.text(), headers);
  return replyStream(status, contentType, piecesOf(body, signal), { headers });
}

export function keptHeaders(headers: Headers): ReplyHeaders {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = headers.get(name);
    if (value !== null) kept[name] = value;
  }
  return kept;
}

/** The stream's own iterator would not end a pending read. */
async function* piecesOf(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
