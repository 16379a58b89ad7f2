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
  const words = wrongPath(url);
  if (words !== null) throw new ModelFault('bad_endpoint', { words });
  const query = Object.fromEntries(url.searchParams);
  return { baseUrl: `${url.origin}${url.pathname.replace(/\/$/, '').replace(FULL_PATH, '')}`, query };
}

/** Paths of other APIs, which the same servers have: of Chat Completions, of Anthropic's Messages, and Ollama's own. */
const OTHER_API =
  /\/(?:(?:chat\/)?completions|messages|embeddings|models|(?:v1\/)?api\/(?:chat|generate|tags))\/?$/;

/** Says which path is expected in place of one that no Responses API has; null when it may be right. */
export function wrongPath({ origin, pathname }: URL): string | null {
  const found = OTHER_API.exec(pathname);
  if (found === null) return null;
  const base = pathname.slice(0, found.index) || '/v1';
  return `${found[0]} is the path of another API; give that of the Responses API, ${origin}${base}/responses`;
}
