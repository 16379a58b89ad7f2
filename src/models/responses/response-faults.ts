import * as z from 'zod';
import type { ProviderError } from '../http/json-api.ts';
import { ModelFault, type ModelFaultKind } from '../model-fault.ts';
import { ApiError } from './response-schema.ts';

/** Codes of OpenAI and Azure. https://developers.openai.com/api/docs/guides/error-codes */
const KIND_OF_CODE: Readonly<Record<string, ModelFaultKind>> = {
  invalid_api_key: 'key_rejected',
  PermissionDenied: 'no_access',
  insufficient_quota: 'quota',
  billing_hard_limit_reached: 'quota',
  billing_not_active: 'quota',
  rate_limit_exceeded: 'rate_limited',
  server_is_overloaded: 'overloaded',
  slow_down: 'overloaded',
  server_error: 'overloaded',
  internal_error: 'overloaded',
  model_not_found: 'not_found',
  DeploymentNotFound: 'not_found',
  conversation_locked: 'locked',
  previous_response_not_found: 'lost_memory',
  conversation_not_found: 'lost_memory',
  context_length_exceeded: 'too_long',
  string_above_max_length: 'too_long',
  content_size_exceeded: 'too_long',
  content_filter: 'refused',
  content_policy_violation: 'refused',
  invalid_prompt: 'refused',
  cyber_policy_violation: 'refused',
};

/** Restricted keys get a 401 as well as wrong ones. */
const LACKS_SCOPE = /insufficient permissions|missing scopes/i;
const LOCKED = /currently operating on this conversation/i;
/** OpenAI repeats the start and the end of a wrong key. */
const PART_OF_KEY = /\bsk-[\w*-]+/g;

/** The shapes of errors that copies of the API answer with, besides OpenAI's `{error: {…}}`. */
const ErrorBody = z.union([
  z.object({ error: ApiError }).transform(({ error }) => error),
  z.object({ error: z.string() }).transform(({ error }) => ({ message: error })),
  z.object({ detail: z.string() }).transform(({ detail }) => ({ message: detail })),
  z.object({ message: z.string() }),
]);

/** Reads the body of an answer that is no success. Null: it is in none of the API's formats. */
export function readApiError(body: unknown, status: number): ProviderError | null {
  const error: ApiError | undefined = ErrorBody.safeParse(body).data;
  if (error === undefined) return null;
  const words = (error.message ?? '').replace(PART_OF_KEY, '[key]');
  if (status === 401 && LACKS_SCOPE.test(words)) return { words, kind: 'no_access' };
  return { words, kind: kindOf(error) };
}

/** The same for an error within a response, which has no status. */
export function readResponseError(error: ApiError): ProviderError {
  const words = (error.message ?? '').replace(PART_OF_KEY, '[key]');
  return { words, kind: kindOf(error) };
}

function kindOf({ code, type, message }: ApiError): ModelFaultKind | undefined {
  const kind = KIND_OF_CODE[code ?? ''] ?? KIND_OF_CODE[type ?? ''];
  return kind ?? (LOCKED.test(message ?? '') ? 'locked' : undefined);
}

const ABOUT_MEMORY = /conversation|previous.?response|\bresp(?:onse)?\b/i;
const IS_GONE = /not (?:be )?found|does not exist|expired/i;

/** A turn that names what the provider has kept, and is refused because that is gone, has lost its memory. */
export function orLostMemory(error: unknown): unknown {
  if (!(error instanceof ModelFault) || !REFUSED.has(error.kind)) return error;
  if (!ABOUT_MEMORY.test(error.message) || !IS_GONE.test(error.message)) return error;
  const { message: words, status } = error;
  return new ModelFault('lost_memory', { words, ...(status !== null && { status }) }, { cause: error });
}

const REFUSED: ReadonlySet<ModelFaultKind> = new Set(['not_found', 'bad_request']);
