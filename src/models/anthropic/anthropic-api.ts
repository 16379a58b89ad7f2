import * as z from 'zod';
import { type ApiRequest, JsonApi, type ProviderError } from '../http/json-api.ts';
import { optionalField } from '../http/optional-field.ts';
import type { ModelFaultKind } from '../model-fault.ts';
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

/** https://platform.claude.com/docs/en/api/errors */
const KINDS: Readonly<Record<string, ModelFaultKind>> = {
  authentication_error: 'key_rejected',
  billing_error: 'quota',
  permission_error: 'no_access',
  not_found_error: 'not_found',
  request_too_large: 'too_long',
  rate_limit_error: 'rate_limited',
  overloaded_error: 'overloaded',
  timeout_error: 'overloaded',
  api_error: 'overloaded',
};

const NO_CREDIT = /credit balance is too low/i;
const TOO_LONG = /prompt is too long|exceeds? the (?:maximum|context)/i;

export function anthropicApi(key: string, { http, clock, urls }: ModelDeps): JsonApi {
  const headers = { 'x-api-key': key, 'anthropic-version': VERSION, 'anthropic-beta': MANAGED_AGENTS };
  return new JsonApi({ http, clock, baseUrl: urls.anthropic ?? HOST, headers, secrets: [key], readError });
}

/** Reads the body of an error, and the `error` event of a stream, which has the same format. */
export function readError(body: unknown): ProviderError | null {
  const error = ErrorBody.safeParse(body).data?.error;
  if (error === undefined) return null;
  const words = error.message ?? error.type ?? '';
  return {
    words,
    kind: NO_CREDIT.test(words) ? 'quota' : TOO_LONG.test(words) ? 'too_long' : KINDS[error.type ?? ''],
  };
}

/** Yields the entries of a list. */
export async function* listed<Schema extends z.ZodType>(
  api: JsonApi,
  schema: Schema,
  { query, ...request }: Omit<ApiRequest, 'method'>,
): AsyncGenerator<z.output<Schema>, void> {
  const Page = z.object({ data: z.array(schema), next_page: optionalField(z.string().nullable()) });
  let page: string | null = null;
  for (let count = 0; count < MAX_PAGES; count++) {
    const wanted: ApiRequest['query'] = { limit: PAGE_SIZE, ...query, ...(page !== null && { page }) };
    const { data, next_page: next }: z.output<typeof Page> = await api.ask(Page, {
      ...request,
      method: 'GET',
      query: wanted,
    });
    yield* data;
    if (!next) return;
    page = next;
  }
}
