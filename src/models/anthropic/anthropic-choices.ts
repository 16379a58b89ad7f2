import * as z from 'zod';
import type { JsonApi } from '../http/json-api.ts';
import { optionalField } from '../http/optional-field.ts';
import type { ModelChoice, ModelChoices } from '../model-client.ts';
import { ModelFault } from '../model-fault.ts';
import type { Answerer } from '../provider-fields.ts';
import { listed } from './anthropic-api.ts';
import { isOfGateway } from './gateway-objects.ts';

const Agent = z.object({
  id: z.string(),
  name: optionalField(z.string()),
  archived_at: optionalField(z.string().nullable()),
  metadata: z.record(z.string(), z.string()).catch({}),
});

const Model = z.object({
  id: z.string(),
  display_name: optionalField(z.string()),
  lifecycle: optionalField(z.string()),
  retires_at: optionalField(z.string().nullable()),
});

/** The list of models has pages of another kind; one page holds them all. */
const Models = z.object({ data: z.array(Model) });
const MAX_MODELS = 1_000;

/** Checks that the key may use agents, and that what it is to answer exists. */
export async function probe(api: JsonApi, answerer: Answerer, signal: AbortSignal): Promise<void> {
  if ('agentId' in answerer) {
    const path = `/v1/agents/${encodeURIComponent(answerer.agentId)}`;
    const { archived_at: archivedAt } = await api.ask(Agent, { method: 'GET', path, signal });
    if (archivedAt) throw new ModelFault('not_found', { words: 'the agent is archived' });
    return;
  }
  const [{ lifecycle }] = await Promise.all([
    api.ask(Model, { method: 'GET', path: `/v1/models/${encodeURIComponent(answerer.model)}`, signal }),
    api.tell({ method: 'GET', path: '/v1/agents', query: { limit: 1 }, signal }),
  ]);
  if (lifecycle === 'retired') throw new ModelFault('not_found', { words: 'the model has been retired' });
}

export async function choices(api: JsonApi, signal: AbortSignal): Promise<ModelChoices> {
  const [{ data: models }, agents] = await Promise.all([
    api.ask(Models, { method: 'GET', path: '/v1/models', query: { limit: MAX_MODELS }, signal }),
    agentChoices(api, signal),
  ]);
  return { models: models.map(modelChoice), agents, notice: null };
}

async function agentChoices(api: JsonApi, signal: AbortSignal): Promise<ModelChoice[]> {
  const found: ModelChoice[] = [];
  for await (const agent of listed(api, Agent, { path: '/v1/agents', signal })) {
    if (!isOfGateway(agent)) found.push({ id: agent.id, name: agent.name ?? agent.id, endsAt: null });
  }
  return found;
}

function modelChoice({ id, display_name: name, retires_at: endsAt }: z.output<typeof Model>): ModelChoice {
  return { id, name: name ?? id, endsAt: endsAt ?? null };
}
