import { JsonApi } from '../http/json-api.ts';
import type { ModelDeps } from '../model-provider.ts';
import { readApiError } from './response-faults.ts';
import { ResponsesApi } from './responses-api.ts';
import { readEndpoint } from './responses-endpoint.ts';

/** A Responses API that takes its key, if there is one, as a bearer. Throws a ModelFault `bad_endpoint`. */
export function responsesApiWithKey(
  endpoint: string,
  key: string | null,
  { http, clock }: Pick<ModelDeps, 'http' | 'clock'>,
): ResponsesApi {
  const { baseUrl, query } = readEndpoint(endpoint);
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const api = new JsonApi({
    http,
    clock,
    baseUrl,
    headers,
    secrets: key === null ? [] : [key],
    readError: readApiError,
  });
  return new ResponsesApi(async () => api, query);
}
