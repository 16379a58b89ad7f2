import * as z from 'zod';
import type { JsonApi } from '../http/json-api.ts';
import { optionalField } from '../http/optional-field.ts';
import type { ModelChoice, ModelChoices } from '../model-client.ts';
import { choicesOf, ModelList } from '../openai/openai-models.ts';
import type { ResponsesApi } from '../responses/responses-api.ts';
import { AgentObject, API_VERSION } from './foundry-agent.ts';

const PAGE_SIZE = 100;
const MAX_PAGES = 5;

const DeploymentPage = z.object({
  value: z.array(z.object({ name: z.string(), modelName: optionalField(z.string()) })),
  /** The whole URL of the next page. */
  nextLink: optionalField(z.url()),
});
const AgentPage = z.object({
  data: z.array(AgentObject),
  has_more: optionalField(z.boolean()),
  last_id: optionalField(z.string()),
});

/** The models of a resource. They are not its deployments, which a key cannot list. */
export async function resourceChoices(api: ResponsesApi, signal: AbortSignal): Promise<ModelChoices> {
  const list = await api.ask(ModelList, { method: 'GET', path: '/models', signal });
  const notice = 'These are models that can be deployed. Enter the name of your deployment.';
  return { models: choicesOf(list), agents: [], notice };
}

/** The deployments and agents of a project. */
export async function projectChoices(api: JsonApi, signal: AbortSignal): Promise<ModelChoices> {
  const [models, agents] = await Promise.all([deploymentChoices(api, signal), agentChoices(api, signal)]);
  return { models, agents, notice: null };
}

/** Of the link to the next page, only the query counts: the token goes nowhere else. */
async function deploymentChoices(api: JsonApi, signal: AbortSignal): Promise<ModelChoice[]> {
  const found: ModelChoice[] = [];
  let query: Readonly<Record<string, string>> = API_VERSION;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const request = { method: 'GET', path: '/deployments', query, signal } as const;
    const { value, nextLink } = await api.ask(DeploymentPage, request);
    found.push(...value.map(({ name, modelName }) => choice(name, modelName)));
    if (nextLink === undefined) break;
    query = Object.fromEntries(new URL(nextLink).searchParams);
  }
  return found;
}

async function agentChoices(api: JsonApi, signal: AbortSignal): Promise<ModelChoice[]> {
  const found: ModelChoice[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { ...API_VERSION, limit: PAGE_SIZE, ...(after !== undefined && { after }) };
    const { data, has_more, last_id } = await api.ask(AgentPage, {
      method: 'GET',
      path: '/agents',
      query,
      signal,
    });
    found.push(...data.map(({ name, versions }) => choice(name, versions?.latest.definition.kind)));
    after = last_id;
    if (!has_more || after === undefined) break;
  }
  return found;
}

function choice(id: string, detail: string | undefined): ModelChoice {
  return { id, name: detail === undefined || detail === id ? id : `${id} (${detail})`, endsAt: null };
}
