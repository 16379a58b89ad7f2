import * as z from 'zod';
import { type FaultTable, kindOfError } from '../fault-table.ts';
import type { ProviderError } from '../http/json-api.ts';
import { isFault, ModelFault } from '../model-fault.ts';
import { ApiError } from './response-schema.ts';

/** Codes of OpenAI and Azure, and of copies. https://developers.openai.com/api/docs/guides/error-codes */
const FAULTS: FaultTable = {
  codes: {
    invalid_api_key: 'key_rejected',
    permissiondenied: 'no_access',
    insufficient_quota: 'quota',
    billing_hard_limit_reached: 'quota',
    billing_not_active: 'quota',
    rate_limit_exceeded: 'rate_limited',
    server_is_overloaded: 'overloaded',
    slow_down: 'overloaded',
    server_error: 'overloaded',
    internal_error: 'overloaded',
    model_not_found: 'not_found',
    deploymentnotfound: 'not_found',
    conversation_locked: 'locked',
    previous_response_not_found: 'lost_memory',
    conversation_not_found: 'lost_memory',
    context_length_exceeded: 'too_long',
    string_above_max_length: 'too_long',
    content_size_exceeded: 'too_long',
    // llama.cpp and LiteLLM.
    exceed_context_size_error: 'too_long',
    budget_exceeded: 'quota',
    content_filter: 'refused',
    content_policy_violation: 'refused',
    invalid_prompt: 'refused',
    cyber_policy_violation: 'refused',
  },
  words: [
    // Restricted keys get a 401 as well as wrong ones.
    [/insufficient permissions|missing scopes/i, 'no_access', 'key_rejected'],
    [/currently operating on this conversation/i, 'locked'],
    // vLLM, Ollama and LiteLLM have no code for it.
    [/context (?:length|size|window)|ContextWindowExceeded|prompt is too long/i, 'too_long', 'bad_request'],
    [/\bguardrail\b/i, 'refused', 'bad_request'],
  ],
};

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
export function readApiError(body: unknown, { status }: { readonly status: number }): ProviderError | null {
  const error = ErrorBody.safeParse(body).data;
  return error === undefined ? null : readResponseError(error, status);
}

/** A code that is a status. Gateways report so what has become of a stream after its head. */
const STATUS_CODE = /^[45]\d\d$/;

/** The same for an error within a response, whose status may be its code. */
export function readResponseError(
  { code = '', type = '', message = '' }: ApiError,
  status = STATUS_CODE.test(code) ? Number(code) : undefined,
): ProviderError {
  const kind = kindOfError(FAULTS, { codes: [code, type], message, status });
  return { words: message.replace(PART_OF_KEY, '[key]'), kind };
}

const ABOUT_MEMORY = /conversation|previous.?response|\bresp(?:onse)?\b/i;
const IS_GONE = /not (?:be )?found|does not exist|expired/i;

/** A turn that names what the provider has kept, and is refused because that is gone, has lost its memory. */
export function orLostMemory(error: unknown): unknown {
  if (!isFault(error, 'not_found', 'bad_request')) return error;
  if (!ABOUT_MEMORY.test(error.message) || !IS_GONE.test(error.message)) return error;
  const { message: words, status } = error;
  return new ModelFault('lost_memory', { words, ...(status !== null && { status }) }, { cause: error });
}
