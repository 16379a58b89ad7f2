import { isRecord } from '../../base/json.ts';
import { type Bytes, type Reply, type ReplyHeaders, replyBytes, replyEmpty } from '../http/answer/reply.ts';
import type { McpRequest } from './mcp-request.ts';
import { EVENT_HEAD, EVENT_TAIL, EVENTS_HEADERS, EVENTS_TYPE, JSON_TYPE } from './rpc-message.ts';

/** The forms of an answer that a client takes. */
export interface Accepted {
  readonly json: boolean;
  readonly events: boolean;
}

const BOTH = `${JSON_TYPE}, ${EVENTS_TYPE}`;
const ANY: Accepted = { json: true, events: true };
const IS_REFUSED = /;\s*q=0(?:\.0*)?\s*(?:;|$)/i;

/**
 * What a client takes. The protocol wants both forms in `Accept`; real clients send one of them, a range such as
 * `*`/`*`, or nothing. RFC 9110, section 12.5.1.
 */
export function acceptedBy(request: McpRequest): Accepted {
  const accept = request.header('accept');
  if (accept === BOTH || accept === '') return ANY;
  const ranges = accept
    .split(',')
    .filter((range) => !IS_REFUSED.test(range))
    .map((range) => range.split(';', 1)[0]!.trim().toLowerCase());
  const takes = (type: string): boolean =>
    ranges.some((range) => range === type || range === '*/*' || range === `${type.split('/', 1)[0]}/*`);
  return { json: takes(JSON_TYPE), events: takes(EVENTS_TYPE) };
}

/** A header of a request as the SDK is to read it: it insists on both forms by name. */
export function sdkHeader(request: McpRequest, name: string): string {
  const value = request.header(name);
  if (name !== 'accept') return value;
  const { json, events } = acceptedBy(request);
  return json || events ? BOTH : value;
}

/** Puts an answer into a form that the client takes. Refusals are JSON in any case. `body`: of the request. */
export function inAcceptedForm(
  request: McpRequest,
  body: unknown,
  reply: Reply | Promise<Reply>,
): Reply | Promise<Reply> {
  const accepted = acceptedBy(request);
  if (accepted.json === accepted.events) return reply;
  if (reply instanceof Promise) return reply.then((settled) => converted(settled, accepted, body));
  return converted(reply, accepted, body);
}

function converted(reply: Reply, { events }: Accepted, body: unknown): Reply | Promise<Reply> {
  if (events) return reply.kind === 'bytes' && reply.status === 200 ? asEvent(reply) : reply;
  if ((reply.kind !== 'bytes' && reply.kind !== 'stream') || reply.contentType !== EVENTS_TYPE) return reply;
  const headers = withoutStreaming(reply.headers);
  if (reply.kind === 'bytes') return asJson(textOf(reply.body), headers, body);
  return allOf(reply.body).then((text) => asJson(text, headers, body));
}

function asEvent(reply: Extract<Reply, { kind: 'bytes' }>): Reply {
  if (reply.contentType !== JSON_TYPE) return reply;
  const pieces = Array.isArray(reply.body) ? reply.body : [reply.body];
  const headers = { ...reply.headers, ...EVENTS_HEADERS };
  return { ...reply, contentType: EVENTS_TYPE, body: [EVENT_HEAD, ...pieces, EVENT_TAIL], headers };
}

/** The answers among the messages of a stream: a list if a list was asked. A cancelled call has none. */
function asJson(text: string, headers: ReplyHeaders, asked: unknown): Reply {
  const answers = text.split('\n\n').flatMap((frame) => {
    const data = /^data: (\{.+)$/m.exec(frame)?.[1];
    return data !== undefined && isAnswer(data) ? [data] : [];
  });
  if (answers.length === 0) return replyEmpty(202, headers);
  return replyBytes(200, JSON_TYPE, Array.isArray(asked) ? `[${answers.join(',')}]` : answers[0]!, headers);
}

/** Progress and other notifications have no place in a single answer. */
function isAnswer(data: string): boolean {
  const message: unknown = JSON.parse(data);
  return isRecord(message) && 'id' in message && ('result' in message || 'error' in message);
}

function withoutStreaming(headers: ReplyHeaders = {}): ReplyHeaders {
  const streaming = new Set(Object.keys(EVENTS_HEADERS).map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !streaming.has(name.toLowerCase())));
}

function textOf(body: Bytes): string {
  if (typeof body === 'string') return body;
  return (body instanceof Uint8Array ? [body] : body)
    .map((piece) => (typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8')))
    .join('');
}

async function allOf(body: AsyncIterable<Uint8Array | string>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
  return Buffer.concat(pieces).toString('utf8');
}
