import { JsonApi, keyIn } from '../http/json-api.ts';
import type { ModelTurn, TurnObserver } from '../model-client.ts';
import { ModelFault } from '../model-fault.ts';
import type { ModelDeps } from '../model-provider.ts';
import { orLostMemory, readApiError } from './response-faults.ts';
import { ResponseReader, type ResponseReply } from './response-reader.ts';

/** A Responses API that takes its key, if there is one, as a bearer. Throws a ModelFault `bad_endpoint`. */
export function responsesApi(
  endpoint: string,
  key: string | null,
  { http, clock }: Pick<ModelDeps, 'http' | 'clock'>,
): JsonApi {
  const credentials = key === null ? keyIn({}) : keyIn({ authorization: `Bearer ${key}` }, key);
  return new JsonApi({ http, clock, ...readEndpoint(endpoint), credentials, readError: readApiError });
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

const FULL_PATH = /\/responses$/;

/**
 * Reads an endpoint as people paste it: its base (`…/v1`) or the whole (`…/v1/responses`), with or without a query.
 * Throws a ModelFault `bad_endpoint`.
 */
function readEndpoint(text: string) {
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
