import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { strangerKind } from '../http/json-api.ts';
import { readJson } from '../http/model-answer.ts';
import { optionalField } from '../http/optional-field.ts';
import { ModelFault, type ModelFaultKind } from '../model-fault.ts';
import { providerWords } from '../provider-words.ts';
import type { GeminiAccess } from './gemini-access.ts';

/** What a fault depends on apart from the provider's answer. */
export interface GeminiContext {
  readonly access: Pick<GeminiAccess, 'secrets'>;
  /** The gateway's own secret in the request; empty: none. */
  readonly bearer: string;
  /** The request names an earlier interaction. */
  readonly hasMemory: boolean;
}

const Detail = z.object({
  reason: optionalField(z.string()),
  retryDelay: optionalField(z.string()),
  violations: optionalField(z.array(z.object({ quotaId: optionalField(z.string()) }))),
});

const Problem = z.object({
  /** Of Interactions. The older part of the API has the status here, and a code of google.rpc as `status`. */
  code: optionalField(z.union([z.string(), z.number()])),
  message: optionalField(z.string()),
  status: optionalField(z.string()),
  details: optionalField(z.array(z.unknown())),
});
type Problem = z.infer<typeof Problem>;
type Detail = z.infer<typeof Detail>;

const ErrorBody = z.object({ error: Problem });
/** An event of a stream. Content filters send the error alone, without the type. */
const ErrorEvent = z.union([
  ErrorBody,
  z.object({ event_type: z.literal('error'), error: Problem.default({}) }),
]);

/** Codes of both parts of the API. https://ai.google.dev/gemini-api/docs/api-errors, google/rpc/code.proto */
const KIND_OF_CODE: Readonly<Record<string, ModelFaultKind>> = {
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
  prohibited_content: 'refused',
  safety: 'refused',
  blocklist: 'refused',
  recitation: 'refused',
};

/** A wrong key is a 400 with one of these reasons. */
const KEY_REASONS: ReadonlySet<string> = new Set(['API_KEY_INVALID', 'ACCESS_TOKEN_EXPIRED']);

const TOO_LONG = /exceeds? the maximum number of tokens|context (?:window|length)/i;
const USED_UP = /credits? (?:are|is) depleted|spend(?:ing)? (?:cap|limit)/i;
/**
 * An interaction that has expired is `Invalid turn token: <id>`, one of another key a 403. A chain that has grown too
 * long is only `Invalid input received.`.
 */
const ABOUT_MEMORY = /turn token|interaction|^invalid input received\.?$/i;

/** Reads an answer that is no success. Resolves with the fault. */
export async function faultOfAnswer(
  answer: IncomingMessage,
  context: GeminiContext,
  signal: AbortSignal,
): Promise<ModelFault> {
  const status = answer.statusCode ?? 0;
  const body = await readJson(answer, signal);
  // The part of the API that streams JSON wraps its errors into a list.
  const { data } = ErrorBody.safeParse(Array.isArray(body) ? body[0] : body);
  if (data !== undefined) return faultOfProblem(data.error, context, status);
  return new ModelFault(strangerKind(status), { words: `Gemini answered ${status}`, status });
}

/** Reads an event that may be an error. Returns null for any other. */
export function faultOfEvent(data: unknown, context: GeminiContext): ModelFault | null {
  const parsed = ErrorEvent.safeParse(data);
  return parsed.success ? faultOfProblem(parsed.data.error, context) : null;
}

export function faultOfProblem(problem: Problem, context: GeminiContext, status?: number): ModelFault {
  const details = (problem.details ?? []).flatMap((detail) => Detail.safeParse(detail).data ?? []);
  const message = problem.message ?? '';
  const words = providerWords(message, [...context.access.secrets, context.bearer]);
  const said = status === undefined ? 'Gemini reported an error' : `Gemini answered ${status}`;
  return new ModelFault(kindOf(problem, { details, status, hasMemory: context.hasMemory }), {
    words: words === '' ? said : words,
    ...(status === undefined ? {} : { status }),
    retryAfterMs: retryAfterMs(details),
  });
}

interface Circumstances {
  readonly details: readonly Detail[];
  readonly status: number | undefined;
  readonly hasMemory: boolean;
}

function kindOf(problem: Problem, { details, status, hasMemory }: Circumstances): ModelFaultKind {
  const message = problem.message ?? '';
  const code = String(problem.status ?? problem.code ?? '').toLowerCase();
  if (details.some(({ reason }) => KEY_REASONS.has(reason ?? ''))) return 'key_rejected';
  const kind = KIND_OF_CODE[code] ?? kindOfStatus(status);
  if (kind === 'bad_request' && TOO_LONG.test(message)) return 'too_long';
  if (hasMemory && MEMORY_KINDS.has(kind) && code !== 'model_not_found' && ABOUT_MEMORY.test(message))
    return 'lost_memory';
  if (kind === 'rate_limited' && (isForToday(details) || USED_UP.test(message))) return 'quota';
  return kind;
}

const MEMORY_KINDS: ReadonlySet<ModelFaultKind> = new Set(['bad_request', 'not_found', 'no_access']);

/** A limit per day does not pass within the wait that the provider suggests. */
function isForToday(details: readonly Detail[]): boolean {
  return details.some(({ violations }) => violations?.some(({ quotaId }) => quotaId?.includes('PerDay')));
}

/** An error within a stream has no status. */
function kindOfStatus(status = 500): ModelFaultKind {
  if (status === 401) return 'key_rejected';
  if (status === 402) return 'quota';
  if (status === 403) return 'no_access';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'overloaded';
  return status >= 400 ? 'bad_request' : 'bad_endpoint';
}

/** google.rpc.RetryInfo: a number of seconds such as `22s` or `0.5s`. */
function retryAfterMs(details: readonly Detail[]): number | null {
  const delay = details.find(({ retryDelay }) => retryDelay !== undefined)?.retryDelay;
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? '')?.[1];
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1_000);
}
