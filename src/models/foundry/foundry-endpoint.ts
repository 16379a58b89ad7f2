import { ModelFault } from '../model-fault.ts';
import type { ResponsesEndpoint } from '../responses/responses-endpoint.ts';

/** One of the two surfaces of Microsoft Foundry. */
export type FoundryEndpoint =
  /** Models by their deployments. `https://{resource}.openai.azure.com` */
  | { readonly kind: 'resource'; readonly responses: ResponsesEndpoint }
  /** Agents as well. `url`: `https://{resource}.services.ai.azure.com/api/projects/{project}` */
  | { readonly kind: 'project'; readonly url: string; readonly responses: ResponsesEndpoint };

const PROJECT = /^\/api\/projects\/[^/]+/;

/**
 * Reads an endpoint as Foundry's portal shows it, with or without the path of an API. Throws a ModelFault
 * `bad_endpoint`.
 */
export function readFoundryEndpoint(text: string): FoundryEndpoint {
  const url = URL.parse(text);
  if (url === null) throw new ModelFault('bad_endpoint', { words: 'the endpoint is not a URL' });
  const [project] = PROJECT.exec(url.pathname) ?? [];
  const root = `${url.origin}${project ?? ''}`;
  const responses = { baseUrl: `${root}/openai/v1`, query: Object.fromEntries(url.searchParams) };
  if (project === undefined) return { kind: 'resource', responses };
  return { kind: 'project', url: root, responses: { ...responses, query: {} } };
}
