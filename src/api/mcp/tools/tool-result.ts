import type { CallToolResult } from '@modelcontextprotocol/server';
import { type ErrorCode, MAY_HAVE_ARRIVED } from '../../../base/errors.ts';
import type { JsonReply } from '../../http/answer/reply.ts';
import type { ErrorBody, ValidationErrorBody, ValidationFault } from '../../schema/error-body.ts';

/** A tool's result: structured content, and the same as JSON for clients that only read text. */
export function toolResult({ body, text }: Pick<JsonReply, 'body' | 'text'>): CallToolResult {
  const json = text ?? JSON.stringify(body);
  // A stored answer of an earlier call exists only as text.
  const structuredContent: unknown = body ?? JSON.parse(json);
  return { content: [{ type: 'text', text: json }], structuredContent };
}

/** `JSON.stringify` of a result. The text of a success is the structured content, already serialized. */
export function resultJson(result: CallToolResult): string {
  const [first] = result.content;
  if (result.isError || first?.type !== 'text') return JSON.stringify(result);
  return `{"content":[{"type":"text","text":${JSON.stringify(first.text)}}],"structuredContent":${first.text}}`;
}

/** Key of the machine-readable error in `_meta`. */
export const ERROR_META_KEY = 'svc/error';

/** Whether to repeat a call: not unchanged, later, or unsure because it may have taken effect already. */
export type Retry = 'no' | 'later' | 'unsure';

/** Advice for the model after an error. */
const ADVICE: Readonly<Record<Retry, string>> = {
  no: 'Nothing was done. Do not repeat this call unchanged: it would fail again.',
  later: 'Nothing was done. You can try again later.',
  unsure:
    'It may have taken effect. Check before you repeat it, and repeat it only with the same `idempotency_key`.',
};

/** Temporary errors: the client is too fast or too slow, or the gateway has no room or is restarting. */
const PASSING: ReadonlySet<number> = new Set([408, 429, 503, 507]);
const UNSURE: ReadonlySet<number> = new Set([500, 504]);
/**
 * Temporary conflicts: the call or the platform is still connecting, or the first request with the same key is still
 * running.
 */
const PASSING_CODES: ReadonlySet<ErrorCode> = new Set([
  'call_not_active',
  'platform_not_connected',
  'request_running',
]);
const UNSURE_CODES: ReadonlySet<ErrorCode> = new Set(['request_interrupted']);

/**
 * The result for an error: status and text of the REST API, then advice. The machine-readable error is in `_meta`
 * rather than in the structured content, because clients validate that against the output schema. The keys are in the
 * SDK's order.
 */
export function toolError({ status, body, text }: JsonReply, requestId: string): CallToolResult {
  const { code, detail } = (body ?? JSON.parse(text ?? '{}')) as ErrorBody | ValidationErrorBody;
  const words = wordsOf(detail);
  const retry = retryOf(status, code, words);
  return {
    _meta: { [ERROR_META_KEY]: { status, code, detail, retry, request_id: requestId } },
    content: [{ type: 'text', text: `${status} ${words}\n${ADVICE[retry]}` }],
    isError: true,
  };
}

function retryOf(status: number, code: ErrorCode, words: string): Retry {
  if (UNSURE.has(status) || UNSURE_CODES.has(code) || words.endsWith(MAY_HAVE_ARRIVED)) return 'unsure';
  return PASSING.has(status) || PASSING_CODES.has(code) ? 'later' : 'no';
}

function wordsOf(detail: (ErrorBody | ValidationErrorBody)['detail']): string {
  if (typeof detail === 'string') return detail;
  return detail.map(faultWords).join('; ');
}

function faultWords({ loc, msg }: ValidationFault): string {
  const where = loc.slice(1).join('.');
  return where === '' ? msg : `${where}: ${msg}`;
}
