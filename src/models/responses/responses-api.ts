import { JsonApi, keyIn } from '../http/json-api.ts';
import { type Patience, VENDOR } from '../http/patience.ts';
import type { ModelTurn, TurnObserver } from '../model-client.ts';
import { ModelFault } from '../model-fault.ts';
import type { ModelDeps } from '../model-provider.ts';
import { orLostMemory, readApiError } from './response-faults.ts';
import { ResponseReader, type ResponseReply } from './response-reader.ts';

/** A Responses API that takes its key, if there is one, as a bearer. Throws a ModelFault `bad_endpoint`. */
export function responsesApi(
  endpoint: string,
  key: string | null,
  deps: Pick<ModelDeps, 'http' | 'clock'>,
  patience = VENDOR,
): JsonApi {
  return bearerApi({ endpoint, key, wrongPath, path: /\/responses$/, patience }, deps);
}

export interface BearerEndpoint {
  readonly endpoint: string;
  readonly key: string | null;
  /** Says why a path cannot be right; null: it may be. */
  readonly wrongPath: (url: URL) => string | null;
  /** What people paste after the base. */
  readonly path: RegExp;
  readonly isRepeatable?: true;
  readonly patience: Patience;
}

/** An API of OpenAI's or a copy, with its errors. Throws a ModelFault `bad_endpoint`. */
export function bearerApi(
  { endpoint, key, wrongPath: isWrong, path, ...manner }: BearerEndpoint,
  { http, clock }: Pick<ModelDeps, 'http' | 'clock'>,
): JsonApi {
  const credentials = key === null ? keyIn({}) : keyIn({ authorization: `Bearer ${key}` }, key);
  const place = readEndpoint(endpoint, isWrong, path);
  return new JsonApi({ http, clock, ...place, credentials, readError: readApiError, ...manner });
}

/** Sends one turn to OpenAI's Responses API, or to a copy, and reads the reply. */
export async function respond(
  api: JsonApi,
  body: object,
  { signal, tools }: ModelTurn,
  observer: Pick<TurnObserver, 'text'>,
): Promise<ResponseReply> {
  const secret = tools?.bearer ?? '';
  const request = {
    method: 'POST',
    path: '/responses',
    body: { ...body, stream: true },
    signal,
    secret,
  } as const;
  try {
    return await new ResponseReader(api, observer, secret).read(await api.stream(request));
  } catch (error) {
    throw orLostMemory(error);
  }
}

/**
 * Reads an endpoint as people paste it: its base (`…/v1`) or the whole (`…/v1/responses`), with or without a query.
 * Throws a ModelFault `bad_endpoint`.
 */
function readEndpoint(text: string, isWrong: BearerEndpoint['wrongPath'], path: RegExp) {
  const url = URL.parse(text);
  if (url === null) throw new ModelFault('bad_endpoint', { words: 'the endpoint is not a URL' });
  const words = isWrong(url);
  if (words !== null) throw new ModelFault('bad_endpoint', { words });
  const query = Object.fromEntries(url.searchParams);
  return { baseUrl: `${url.origin}${url.pathname.replace(/\/$/, '').replace(path, '')}`, query };
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
