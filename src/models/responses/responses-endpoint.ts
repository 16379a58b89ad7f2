import { ModelFault } from '../model-fault.ts';

/** Where a Responses API is. */
export interface ResponsesEndpoint {
  /** Without the query, and without a trailing slash: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Belongs to every request, such as `api-version=preview`. */
  readonly query: Readonly<Record<string, string>>;
}

const FULL_PATH = /\/responses$/;

/**
 * Reads an endpoint as people paste it: its base (`…/v1`) or the whole (`…/v1/responses`), with or without a query.
 * Throws a ModelFault `bad_endpoint`.
 */
export function readEndpoint(text: string): ResponsesEndpoint {
  const url = URL.parse(text);
  if (url === null) throw new ModelFault('bad_endpoint', { words: 'the endpoint is not a URL' });
  const query = Object.fromEntries(url.searchParams);
  return { baseUrl: `${url.origin}${url.pathname.replace(/\/$/, '').replace(FULL_PATH, '')}`, query };
}
