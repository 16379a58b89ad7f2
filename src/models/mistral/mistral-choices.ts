import * as z from 'zod';
import type { JsonApi } from '../http/json-api.ts';
import { optionalField } from '../http/optional-field.ts';
import type { ModelChoice } from '../model-client.ts';

const Models = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      deprecation: optionalField(z.string().nullable()),
      capabilities: optionalField(z.object({ completion_chat: optionalField(z.boolean()) })),
    }),
  ),
});

const AgentPage = z.object({
  data: z.array(z.object({ id: z.string(), name: optionalField(z.string()) })),
  next_page_token: optionalField(z.string().nullable()),
});
const PAGE_SIZE = 100;
const MAX_PAGES = 10;

/** Models that talk. */
export async function modelChoices(api: JsonApi, signal: AbortSignal): Promise<ModelChoice[]> {
  const { data } = await api.ask(Models, { method: 'GET', path: '/v1/models', signal });
  return data
    .filter(({ capabilities }) => capabilities?.completion_chat !== false)
    .map(({ id, deprecation }) => ({ id, name: id, endsAt: deprecation ?? null }));
}

/** At most 1,000 agents. */
export async function agentChoices(api: JsonApi, signal: AbortSignal): Promise<ModelChoice[]> {
  const found: ModelChoice[] = [];
  let token: string | null = null;
  for (let count = 0; count < MAX_PAGES; count++) {
    const query = { page_size: PAGE_SIZE, ...(token !== null && { page_token: token }) };
    const page: z.output<typeof AgentPage> = await api.ask(AgentPage, {
      method: 'GET',
      path: '/v1/agents/pages',
      query,
      signal,
    });
    found.push(...page.data.map(({ id, name }) => ({ id, name: name ?? id, endsAt: null })));
    if (!page.next_page_token) break;
    token = page.next_page_token;
  }
  return found;
}
