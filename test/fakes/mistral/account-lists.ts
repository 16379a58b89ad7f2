import { apiError, notFound } from './mistral-errors.ts';
import { nowIso } from './stored-conversation.ts';

const MAX_PAGE = 100;

const MODELS = [
  { id: 'mistral-large-latest', deprecation: null, chats: true },
  { id: 'mistral-medium-2508', deprecation: '2027-03-31T12:00:00Z', chats: true },
  { id: 'mistral-embed', deprecation: null, chats: false },
];

export interface StoredAgent {
  readonly id: string;
  readonly name: string;
  readonly model: string;
  readonly instructions: string;
}

export function isModel(name: string): boolean {
  return MODELS.some(({ id }) => id === name);
}

export function modelList(): object {
  return { object: 'list', data: MODELS.map(modelWire) };
}

export function modelOf(id: string): object {
  const model = MODELS.find((known) => known.id === id);
  if (!model) throw notFound(`Model ${id}`);
  return modelWire(model);
}

function modelWire({ id, deprecation, chats }: (typeof MODELS)[number]): object {
  return {
    id,
    object: 'model',
    created: 1_700_000_000,
    owned_by: 'mistralai',
    capabilities: { completion_chat: chats, function_calling: chats, vision: false },
    deprecation,
    max_context_length: 131_072,
    internal: false,
    type: 'base',
  };
}

export function agentPage(agents: readonly StoredAgent[], query: URLSearchParams): object {
  const unknown = [...query.keys()].find((name) => !['page_size', 'page_token', 'search'].includes(name));
  const size = Number(query.get('page_size') ?? 20);
  if (unknown !== undefined || !(size >= 1 && size <= MAX_PAGE))
    throw apiError(400, `Invalid query: ${query}`);
  const start = Number(query.get('page_token') ?? 0);
  const end = start + size;
  const data = agents.slice(start, end).map(agentWire);
  return { object: 'list', data, next_page_token: end < agents.length ? `${end}` : null };
}

export function agentWire(agent: StoredAgent): object {
  const dates = { created_at: nowIso(), updated_at: nowIso() };
  return {
    object: 'agent',
    ...agent,
    ...dates,
    version: 0,
    versions: [0],
    deployment_chat: false,
    source: 'api',
  };
}
