import type { VendorAnswer, VendorCall } from '../model-vendor/vendor-exchange.ts';
import { ConversationRequest, ItemsRequest, readBody } from './response-request.ts';
import { apiError } from './responses-errors.ts';
import {
  conversationWire,
  type StoredConversation,
  type StoredConversations,
} from './stored-conversations.ts';
import { type StoredItem, storedMessage } from './stored-items.ts';

const PATH = /^\/conversations(?:\/(?<id>[^/]+)(?<items>\/items)?)?$/;
/** The last one is Azure's. */
const LIST_PARAMETERS = ['limit', 'order', 'after', 'include', 'api-version'];
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** OpenAI's Conversations API; null: another path or method. */
export function conversationRoutes(
  stored: StoredConversations,
  route: string,
  { method, body, query }: VendorCall,
): VendorAnswer | null {
  const groups = PATH.exec(route)?.groups;
  if (!groups) return null;
  const { id, items } = groups;
  if (id === undefined) return method === 'POST' ? create(stored, body) : null;
  const conversation = stored.conversation(id);
  if (items !== undefined) return itemRoutes(conversation, method, body, query);
  if (method === 'GET') return { body: conversationWire(conversation) };
  if (method !== 'DELETE') return null;
  stored.delete(id);
  return { body: { id, object: 'conversation.deleted', deleted: true } };
}

function create(stored: StoredConversations, body: unknown): VendorAnswer {
  const { items, metadata } = readBody(ConversationRequest, body);
  return { body: conversationWire(stored.create((items ?? []).map(storedMessage), metadata ?? {})) };
}

function itemRoutes(
  conversation: StoredConversation,
  method: string,
  body: unknown,
  query: URLSearchParams,
): VendorAnswer | null {
  if (method === 'GET') return { body: page(conversation.items, query) };
  if (method !== 'POST') return null;
  const added = readBody(ItemsRequest, body).items.map(storedMessage);
  conversation.items.push(...added);
  return { body: list(added, false) };
}

function page(items: readonly StoredItem[], query: URLSearchParams): object {
  const unknown = [...query.keys()].find((name) => !LIST_PARAMETERS.includes(name));
  if (unknown !== undefined) {
    throw apiError(400, `Unknown parameter: '${unknown}'.`, { code: 'unknown_parameter', param: unknown });
  }
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw apiError(400, "Invalid 'limit': integer out of range.", { code: 'invalid_value', param: 'limit' });
  }
  const ordered = query.get('order') === 'asc' ? [...items] : items.toReversed();
  const after = query.get('after');
  const start = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  return list(ordered.slice(start, start + limit), start + limit < ordered.length);
}

function list(items: readonly StoredItem[], has_more: boolean): object {
  return {
    object: 'list',
    data: items,
    first_id: items[0]?.id ?? null,
    last_id: items.at(-1)?.id ?? null,
    has_more,
  };
}
