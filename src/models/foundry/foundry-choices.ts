import * as z from 'zod';
import type { JsonApi } from '../http/json-api.ts';
import { optionalField } from '../http/optional-field.ts';
import type { ModelChoice, ModelChoices } from '../model-client.ts';
import { choicesOf, ModelList } from '../openai/openai-models.ts';
import type { ResponsesApi } from '../responses/responses-api.ts';
import { AgentObject, API_VERSION } from './foundry-agent.ts';

const PAGE_SIZE = 100;
const MAX_PAGES = 5;

const Deployments = z.object({
  value: z.array(z.object({ name: z.string(), modelName: optionalField(z.string()) })),
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
  const query = API_VERSION;
  const { value } = await api.ask(Deployments, { method: 'GET', path: '/deployments', query, signal });
  const models = value.map(({ name, modelName }) => choice(name, modelName));
  return { models, agents: await agents(api, signal), notice: null };
}

async function agents(api: JsonApi, signal: AbortSignal): Promise<ModelChoice[]> {
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
