import { type Credentials, JsonApi, keyIn } from '../http/json-api.ts';
import { OAuthToken } from '../http/oauth-token.ts';
import type { ModelClient } from '../model-client.ts';
import { ModelFault, unusable } from '../model-fault.ts';
import type { ModelDeps, ModelProvider, ModelSettings } from '../model-provider.ts';
import { openAiClient } from '../openai/openai-client.ts';
import { API_KEY, endpoint, hostedAgent, MODEL } from '../provider-fields.ts';
import { readApiError } from '../responses/response-faults.ts';
import { readAgentName } from './foundry-agent.ts';
import { foundryAgentClient, type OpenApi } from './foundry-agent-client.ts';
import { projectChoices, resourceChoices } from './foundry-choices.ts';

/** A token that is about to end is not used for a turn. */
const TOKEN_MARGIN_MS = 5 * 60_000;
const LOGIN_URL = 'https://login.microsoftonline.com';
const SCOPES = {
  resource: 'https://cognitiveservices.azure.com/.default',
  project: 'https://ai.azure.com/.default',
} as const;

/** It becomes part of a URL. */
const TENANT = /^[\w-]+(?:\.[\w-]+)*$/;

export const foundry: ModelProvider = {
  name: 'foundry',
  title: 'Microsoft Foundry',
  fields: [
    endpoint('Of a resource, or of a project (`…/api/projects/…`)'),
    { ...text('api_key', API_KEY.title), description: 'For a resource', kind: 'secret' },
    { ...text('tenant_id', 'Tenant ID'), description: 'Of an application in Entra ID, for a project' },
    text('client_id', 'Client ID'),
    { ...text('client_secret', 'Client secret'), kind: 'secret' },
    { ...MODEL, description: 'Name of the deployment' },
    hostedAgent('Name of an agent of the project, or name:version; used instead of a model'),
  ],
  anyOf: ['model', 'agent_id'],
  connect: (settings, deps) => {
    const { config } = settings;
    const target = readFoundryEndpoint(config.endpoint ?? '');
    const open = opener(settings, target, deps);
    if (config.agent_id === undefined) return modelClient(config.model ?? null, target, open, deps);
    if (target.kind !== 'project') throw unusable('an agent needs the endpoint of its project');
    return foundryAgentClient({ open, agent: readAgentName(config.agent_id), clock: deps.clock });
  },
};

function text(name: string, title: string) {
  return { name, title, description: '', kind: 'text' } as const;
}

function modelClient(
  model: string | null,
  target: FoundryEndpoint,
  open: OpenApi,
  { clock }: ModelDeps,
): ModelClient {
  const api = open('/openai/v1', target.query);
  const browse = async (signal: AbortSignal) =>
    target.kind === 'project' ? await projectChoices(open(''), signal) : await resourceChoices(api, signal);
  return openAiClient({ api, clock, model, prompt: null, compacts: false, browse });
}

/**
 * One of the two surfaces of Microsoft Foundry. `resource`: models by their deployments, at
 * `https://{resource}.openai.azure.com`. `project`: agents as well, at
 * `https://{resource}.services.ai.azure.com/api/projects/{project}`.
 */
interface FoundryEndpoint {
  readonly kind: 'resource' | 'project';
  /** Without a trailing slash and the path of an API. */
  readonly root: string;
  /** Of every request to a resource, such as `api-version=preview`. */
  readonly query: Readonly<Record<string, string>>;
}

const PROJECT = /^\/api\/projects\/[^/]+/;

/**
 * Reads an endpoint as Foundry's portal shows it, with or without the path of an API. Throws a ModelFault
 * `bad_endpoint`.
 */
function readFoundryEndpoint(text: string): FoundryEndpoint {
  const url = URL.parse(text);
  if (url === null) throw new ModelFault('bad_endpoint', { words: 'the endpoint is not a URL' });
  const [project] = PROJECT.exec(url.pathname) ?? [];
  if (project !== undefined) return { kind: 'project', root: `${url.origin}${project}`, query: {} };
  return { kind: 'resource', root: url.origin, query: Object.fromEntries(url.searchParams) };
}

function opener(settings: ModelSettings, target: FoundryEndpoint, deps: ModelDeps): OpenApi {
  const { http, clock } = deps;
  const common = { http, clock, credentials: credentialsOf(settings, target, deps), readError: readApiError };
  return (path, query = {}) => new JsonApi({ ...common, baseUrl: `${target.root}${path}`, query });
}

/** Which fields are given decides how a request is signed. Throws `bad_request` if they do not fit together. */
function credentialsOf(
  { config, secrets }: ModelSettings,
  { kind }: FoundryEndpoint,
  { http, clock, urls }: ModelDeps,
): Credentials {
  const { api_key: key } = secrets;
  const application = applicationIn({ config, secrets });
  if (application === null) {
    if (key === undefined) throw unusable('an API key, or a tenant, a client and its secret, is missing');
    if (kind === 'project')
      throw unusable('a project takes no API key, but a tenant, a client and its secret');
    return keyIn({ 'api-key': key }, key);
  }
  if (key !== undefined) throw unusable('give either an API key or a tenant, a client and its secret');
  const { tenantId, ...client } = application;
  return new OAuthToken({
    http,
    clock,
    url: `${urls.foundry ?? LOGIN_URL}/${tenantId}/oauth2/v2.0/token`,
    issuer: 'Microsoft Entra ID',
    form: () => ({ grant_type: 'client_credentials', ...client, scope: SCOPES[kind] }),
    secrets: [client.client_secret],
    marginMs: TOKEN_MARGIN_MS,
  });
}

/** An application that is registered in Microsoft Entra ID, with the fields of a request for its token. */
interface EntraApplication {
  readonly tenantId: string;
  readonly client_id: string;
  readonly client_secret: string;
}

function applicationIn({ config, secrets }: ModelSettings): EntraApplication | null {
  const { tenant_id: tenantId, client_id } = config;
  const { client_secret } = secrets;
  if (tenantId === undefined && client_id === undefined && client_secret === undefined) return null;
  if (tenantId === undefined || client_id === undefined || client_secret === undefined) {
    throw unusable('tenant_id, client_id and client_secret belong together');
  }
  if (!TENANT.test(tenantId)) throw unusable('tenant_id must be a GUID or a domain');
  return { tenantId, client_id, client_secret };
}
