import { JsonApi } from '../http/json-api.ts';
import type { ModelClient } from '../model-client.ts';
import { ModelFault } from '../model-fault.ts';
import type { ModelDeps, ModelProvider, ModelSettings } from '../model-provider.ts';
import { OpenAiClient } from '../openai/openai-client.ts';
import { API_KEY, endpoint, hostedAgent, MODEL } from '../provider-fields.ts';
import { readApiError } from '../responses/response-faults.ts';
import { ResponsesApi } from '../responses/responses-api.ts';
import { type EntraApplication, EntraToken } from './entra-token.ts';
import { readAgentName } from './foundry-agent.ts';
import { FoundryAgentClient, type OpenProject } from './foundry-agent-client.ts';
import { projectChoices, resourceChoices } from './foundry-choices.ts';
import { type FoundryEndpoint, readFoundryEndpoint } from './foundry-endpoint.ts';

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
    if (target.kind !== 'project') throw wrong('an agent needs the endpoint of its project');
    return new FoundryAgentClient({ open, agent: readAgentName(config.agent_id), clock: deps.clock });
  },
};

function text(name: string, title: string) {
  return { name, title, description: '', kind: 'text' } as const;
}

function modelClient(
  model: string | null,
  target: FoundryEndpoint,
  open: OpenProject,
  { clock }: ModelDeps,
): ModelClient {
  const api = new ResponsesApi((signal) => open('/openai/v1', signal), target.responses.query);
  const browse = async (signal: AbortSignal) =>
    target.kind === 'project'
      ? await projectChoices(await open('', signal), signal)
      : await resourceChoices(api, signal);
  return new OpenAiClient({ api, clock, model, prompt: null, compacts: false, browse });
}

/** Which fields are given decides how a request is signed. Throws `bad_request` if they do not fit together. */
function opener({ config, secrets }: ModelSettings, target: FoundryEndpoint, deps: ModelDeps): OpenProject {
  const root = target.responses.baseUrl.replace(/\/openai\/v1$/, '');
  const api = (path: string, headers: Record<string, string>, secret: string): JsonApi => {
    const { http, clock } = deps;
    return new JsonApi({
      http,
      clock,
      baseUrl: `${root}${path}`,
      headers,
      secrets: [secret],
      readError: readApiError,
    });
  };
  const { api_key: key } = secrets;
  const application = applicationIn({ config, secrets });
  if (application !== null) {
    if (key !== undefined) throw wrong('give either an API key or a tenant, a client and its secret');
    const { http, clock, urls } = deps;
    const loginUrl = urls.foundry ?? LOGIN_URL;
    const token = new EntraToken({ http, clock, loginUrl, application, scope: SCOPES[target.kind] });
    return async (path, signal) => {
      const bearer = await token.get(signal);
      return api(path, { authorization: `Bearer ${bearer}` }, bearer);
    };
  }
  if (key === undefined) throw wrong('an API key, or a tenant, a client and its secret, is missing');
  if (target.kind === 'project')
    throw wrong('a project takes no API key, but a tenant, a client and its secret');
  return async (path) => api(path, { 'api-key': key }, key);
}

function applicationIn({ config, secrets }: ModelSettings): EntraApplication | null {
  const { tenant_id: tenantId, client_id: clientId } = config;
  const { client_secret: clientSecret } = secrets;
  if (tenantId === undefined && clientId === undefined && clientSecret === undefined) return null;
  if (tenantId === undefined || clientId === undefined || clientSecret === undefined) {
    throw wrong('tenant_id, client_id and client_secret belong together');
  }
  if (!TENANT.test(tenantId)) throw wrong('tenant_id must be a GUID or a domain');
  return { tenantId, clientId, clientSecret };
}

function wrong(words: string): ModelFault {
  return new ModelFault('bad_request', { words });
}
