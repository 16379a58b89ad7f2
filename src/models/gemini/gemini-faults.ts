import { z } from 'zod';
import { type FaultTable, kindOfError } from '../fault-table.ts';
import type { ProviderError, Refusal } from '../http/json-api.ts';
import { optionalField } from '../http/optional-field.ts';
import type { ModelFaultKind } from '../model-fault.ts';

const Detail = z.object({
  reason: optionalField(z.string()),
  retryDelay: optionalField(z.string()),
  violations: optionalField(z.array(z.object({ quotaId: optionalField(z.string()) }))),
});
type Detail = z.infer<typeof Detail>;

const Problem = z.object({
  /** Of Interactions. The older part of the API has the status here, and a code of google.rpc as `status`. */
  code: optionalField(z.union([z.string(), z.number()])),
  message: optionalField(z.string()),
  status: optionalField(z.string()),
  details: optionalField(z.array(z.unknown())),
});
type Problem = z.infer<typeof Problem>;

const ErrorBody = z.object({ error: Problem });
/** An event of a stream. Content filters send the error alone, without the type. */
const ErrorEvent = z.union([
  ErrorBody,
  z.object({ event_type: z.literal('error'), error: Problem.default({}) }),
]);

/** Codes of both parts of the API. https://ai.google.dev/gemini-api/docs/api-errors, google/rpc/code.proto */
const FAULTS: FaultTable = {
  codes: {
    // Reasons of a 400 that is about the key.
    api_key_invalid: 'key_rejected',
    access_token_expired: 'key_rejected',
    authentication: 'key_rejected',
    unauthenticated: 'key_rejected',
    payment_required: 'quota',
    quota_exceeded: 'quota',
    permission_denied: 'no_access',
    not_found: 'not_found',
    model_not_found: 'not_found',
    rate_limit_exceeded: 'rate_limited',
    resource_exhausted: 'rate_limited',
    service_unavailable: 'overloaded',
    unavailable: 'overloaded',
    internal: 'overloaded',
    deadline_exceeded: 'overloaded',
    invalid_argument: 'bad_request',
    prohibited_content: 'refused',
    content_blocked: 'refused',
    safety: 'refused',
    blocklist: 'refused',
    recitation: 'refused',
  },
  words: [
    [/exceeds? the maximum number of tokens|context (?:window|length)/i, 'too_long', 'bad_request'],
    [/content was blocked/i, 'refused', 'bad_request'],
    [/credits? (?:are|is) depleted|spend(?:ing)? (?:cap|limit)/i, 'quota', 'rate_limited'],
  ],
};

const KEY_REASONS: ReadonlySet<string> = new Set(['API_KEY_INVALID', 'ACCESS_TOKEN_EXPIRED']);

/**
 * An interaction that has expired is `Invalid turn token: <id>`, one of another key a 403. A chain that has grown too
 * long is only `Invalid input received.`.
 */
const ABOUT_MEMORY = /turn token|interaction|^invalid input received\.?$/i;
const MEMORY_KINDS: ReadonlySet<ModelFaultKind> = new Set(['bad_request', 'not_found', 'no_access']);

/** Reads the body of an answer that is no success. */
export function readError(body: unknown, { status, request }: Refusal): ProviderError | null {
  // The part of the API that streams JSON wraps its errors into a list.
  const problem = ErrorBody.safeParse(Array.isArray(body) ? body[0] : body).data?.error;
  const { path, body: sent = {} } = request;
  const hasMemory = path.includes('/interactions/') || 'previous_interaction_id' in sent;
  return problem ? errorOf(problem, hasMemory, status) : null;
}

/** Reads an event that may be an error. Returns null for any other. */
export function errorOfEvent(data: unknown, hasMemory: boolean): ProviderError | null {
  const problem = ErrorEvent.safeParse(data).data?.error;
  return problem ? errorOf(problem, hasMemory) : null;
}

/** `hasMemory`: the request names an earlier interaction. An error within a stream has no status. */
export function errorOf(problem: Problem, hasMemory: boolean, status?: number): ProviderError {
  const { message = '', code = '' } = problem;
  const details = (problem.details ?? []).flatMap((detail) => Detail.safeParse(detail).data ?? []);
  const named = problem.status ?? String(code);
  const reasons = details.flatMap(({ reason = '' }) => (KEY_REASONS.has(reason) ? reason : []));
  const kind = kindOfError(FAULTS, { codes: [...reasons, named], message, status }) ?? 'overloaded';
  const retryAfterMs = waitOf(details);
  const isLost = hasMemory && MEMORY_KINDS.has(kind) && named.toLowerCase() !== 'model_not_found';
  if (isLost && ABOUT_MEMORY.test(message)) return { words: message, kind: 'lost_memory', retryAfterMs };
  const isUsedUp = kind === 'rate_limited' && isForToday(details);
  return { words: message, kind: isUsedUp ? 'quota' : kind, retryAfterMs };
}

/** A limit per day does not pass within the wait that the provider suggests. */
function isForToday(details: readonly Detail[]): boolean {
  return details.some(({ violations }) => violations?.some(({ quotaId }) => quotaId?.includes('PerDay')));
}

/** google.rpc.RetryInfo: a number of seconds such as `22s` or `0.5s`. */
function waitOf(details: readonly Detail[]): number | null {
  const delay = details.find(({ retryDelay }) => retryDelay !== undefined)?.retryDelay;
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? '')?.[1];
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1_000);
}
