import * as z from 'zod';
import { type FaultTable, kindOfError } from '../fault-table.ts';
import { type ApiRequest, JsonApi, keyIn, type ProviderError, type Refusal } from '../http/json-api.ts';
import { optionalField } from '../http/optional-field.ts';
import type { ModelDeps } from '../model-provider.ts';

const HOST = 'https://api.anthropic.com';
const VERSION = '2023-06-01';
const MANAGED_AGENTS = 'managed-agents-2026-04-01';

/** A list in pages, at most 100 entries each. */
const PAGE_SIZE = 100;
/** What is older than this many pages is not looked for. */
const MAX_PAGES = 10;

const ErrorBody = z.object({
  error: z.object({ type: optionalField(z.string()), message: optionalField(z.string()) }),
});

/** Errors of requests, and those that `session.error` says. https://platform.claude.com/docs/en/api/errors */
const FAULTS: FaultTable = {
  codes: {
    authentication_error: 'key_rejected',
    billing_error: 'quota',
    permission_error: 'no_access',
    not_found_error: 'not_found',
    request_too_large: 'too_long',
    rate_limit_error: 'rate_limited',
    overloaded_error: 'overloaded',
    timeout_error: 'overloaded',
    api_error: 'overloaded',
    // The service has retried what can be retried.
    model_overloaded_error: 'overloaded',
    model_request_failed_error: 'overloaded',
    model_rate_limited_error: 'rate_limited',
    compaction_limit_reached_error: 'too_long',
    tool_use_limit_reached_error: 'bad_request',
    mcp_connection_failed_error: 'bad_request',
    mcp_authentication_failed_error: 'no_access',
  },
  words: [
    [/credit balance is too low/i, 'quota'],
    [/prompt is too long|exceeds? the (?:maximum|context)/i, 'too_long'],
  ],
};

export function anthropicApi(key: string, { http, clock, urls }: ModelDeps): JsonApi {
  const headers = { 'x-api-key': key, 'anthropic-version': VERSION, 'anthropic-beta': MANAGED_AGENTS };
  return new JsonApi({
    http,
    clock,
    baseUrl: urls.anthropic ?? HOST,
    credentials: keyIn(headers, key),
    readError,
  });
}

/** Reads the body of an error, and the events `error` and `session.error`, which have the same format and no status. */
export function readError(body: unknown, refusal?: Refusal): ProviderError | null {
  const error = ErrorBody.safeParse(body).data?.error;
  if (error === undefined) return null;
  const { type = '', message = type } = error;
  return {
    words: message,
    kind: kindOfError(FAULTS, { codes: [type], message, status: refusal?.status }),
  };
}

/** Yields the entries of a list. */
export async function* listed<Schema extends z.ZodType>(
  api: JsonApi,
  schema: Schema,
  { query, ...request }: Omit<ApiRequest, 'method'>,
): AsyncGenerator<z.output<Schema>, void> {
  const Page = z.object({ data: z.array(schema), next_page: optionalField(z.string().nullable()) });
  const pages = api.pages(
    Page,
    { ...request, query: { limit: PAGE_SIZE, ...query } },
    { next: ({ next_page: page }: z.output<typeof Page>) => (page ? { page } : null), maxPages: MAX_PAGES },
  );
  for await (const { data } of pages) yield* data;
}
