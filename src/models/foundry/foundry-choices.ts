import * as z from 'zod';
import type { JsonApi } from '../http/json-api.ts';
import { optionalField } from '../http/optional-field.ts';
import type { ModelChoice, ModelChoices } from '../model-client.ts';
import { choicesOf, ModelList } from '../openai/openai-models.ts';
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
export async function resourceChoices(api: JsonApi, signal: AbortSignal): Promise<ModelChoices> {
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
  const next = ({ nextLink }: z.output<typeof DeploymentPage>) =>
    nextLink === undefined ? null : Object.fromEntries(new URL(nextLink).searchParams);
  const request = { path: '/deployments', query: API_VERSION, signal };
  const pages = await Array.fromAsync(api.pages(DeploymentPage, request, { next, maxPages: MAX_PAGES }));
  return pages.flatMap(({ value }) => value.map(({ name, modelName }) => choice(name, modelName)));
}

async function agentChoices(api: JsonApi, signal: AbortSignal): Promise<ModelChoice[]> {
  const next = ({ has_more, last_id: after }: z.output<typeof AgentPage>) =>
    has_more && after !== undefined ? { after } : null;
  const request = { path: '/agents', query: { ...API_VERSION, limit: PAGE_SIZE }, signal };
  const pages = await Array.fromAsync(api.pages(AgentPage, request, { next, maxPages: MAX_PAGES }));
  return pages.flatMap(({ data }) =>
    data.map(({ name, versions }) => choice(name, versions?.latest.definition.kind)),
  );
}

function choice(id: string, detail: string | undefined): ModelChoice {
  return { id, name: detail === undefined || detail === id ? id : `${id} (${detail})`, endsAt: null };
}
