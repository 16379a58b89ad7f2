import { assert } from '../../base/assert.ts';
import { EventLoopLimit } from '../../base/event-loop-limit.ts';
import { scopeOf } from '../../base/scope.ts';
import {
  type History,
  readConversation,
  readDetail,
  type Snapshot,
  takeSnapshot,
} from '../../messaging/inbox/inbox.ts';
import { type Delta, readDelta } from '../../messaging/inbox/inbox-delta.ts';
import type { MessageView, Reading } from '../../messaging/inbox/inbox-view.ts';
import type { LongPolls } from '../../messaging/inbox/long-polls.ts';
import { parseCursor, positionOf } from '../../store/messages/cursor.ts';
import type { Principal } from '../auth/principal.ts';
import { cachedReplies, reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import {
  ConversationHistory,
  ConversationParams,
  ConversationQuery,
  Inbox,
  type InboxEvent,
  InboxQuery,
  type Message,
} from '../schema/inbox.ts';
import { conversationWire, messageWire, otherEventWire } from './message-wire.ts';

const runtime = resource('runtime', 'Messages');
/** Longest wait of an inbox long-poll (specification, "Limits"). */
const MAX_WAIT_MS = 55_000;
/** Delta queries started per iteration of the event loop; each takes about half a millisecond. */
const DELTAS_AT_ONCE = 10;

/** Dependencies of the inbox routes. */
export interface InboxDomain extends Reading {
  readonly waiters: LongPolls;
}

/** `GET /api/inbox` in its three modes, and a single conversation by id. */
export function inboxRoutes(inbox: InboxDomain): Route[] {
  // Long-polls with the same delta share one reply.
  const deltaReply = cachedReplies(deltaWire);
  const deltas = new EventLoopLimit(DELTAS_AT_ONCE);
  return [
    runtime.get('/api/inbox', {
      operationId: 'readInbox',
      summary: 'Read all conversations, one with its history, or only what is new',
      description:
        'Snapshot (no parameters): all active conversations, each with its newest message. Detail (`platform`): one conversation with its history. Delta (`last_message_cursor`): conversations with their new messages in both directions, and other `events` of calls and messages. Following the cursor delivers every message and event exactly once; keep a separate cursor per platform filter.',
      query: InboxQuery,
      responses: { 200: { description: 'Conversations and the next cursor', schema: Inbox } },
      fails: ['no_conversation', 'too_many_waiters'],
      handler: async ({ principal, query, signal }) => {
        if (query.last_message_cursor) {
          await deltas.enter(principal.accountId);
          return deltaReply(await delta(inbox, principal, { ...query, signal }, query.last_message_cursor));
        }
        const { platform, limit, offset } = query;
        const status = query.status === 'all' ? null : query.status;
        if (platform === undefined)
          return reply(200, snapshotWire(await takeSnapshot(inbox, principal, { status, limit, offset })));
        const wanted = { platform, status, peer: query.peer, task: query.task };
        return reply(200, detailWire(await readDetail(inbox, principal, wanted, { limit, offset })));
      },
    }),
    runtime.get('/api/inbox/{conversation_id}', {
      operationId: 'readConversation',
      summary: 'Read one conversation',
      params: ConversationParams,
      query: ConversationQuery,
      responses: {
        200: { description: 'The conversation and its newest messages', schema: ConversationHistory },
      },
      fails: ['conversation_not_found'],
      handler: async ({ principal, params, query }) => {
        const page = { limit: query.limit, offset: 0 };
        return reply(
          200,
          historyWire(await readConversation(inbox, principal, params.conversation_id, page)),
        );
      },
    }),
  ];
}

async function delta(
  inbox: InboxDomain,
  principal: Principal,
  { platform, peer, task, limit, wait, signal }: InboxQuery & { readonly signal: AbortSignal },
  cursorText: string,
): Promise<Delta> {
  const cursor = parseCursor(cursorText);
  assert(cursor !== null, 'the schema lets only cursors through');
  const { accountId, credentialId } = principal;
  const question = {
    scope: scopeOf(principal),
    cursor,
    position: await positionOf(inbox.store.db, accountId, cursor),
    platform,
    peer: { peer, task },
    limit,
  };
  if (wait === 0) return await readDelta(inbox, question);
  const waitMs = Math.min(wait * 1_000, MAX_WAIT_MS);
  return await inbox.waiters.wait(question, { credentialId, waitMs, signal });
}

/** Length of a preview's text in characters. */
const PREVIEW_LENGTH = 200;

function snapshotWire({ previews, cursor }: Snapshot): Inbox {
  const conversations = previews.map(({ conversation, lastMessage }) => ({
    ...conversationWire(conversation),
    preview: lastMessage && previewOf(lastMessage),
  }));
  return { conversations, cursor };
}

function previewOf(message: MessageView): Message {
  const characters = [...message.text.slice(0, 4 * PREVIEW_LENGTH)];
  const isLong = characters.length > PREVIEW_LENGTH;
  const text = isLong ? `${characters.slice(0, PREVIEW_LENGTH - 1).join('')}…` : message.text;
  return messageWire({ ...message, text });
}

/** Detail mode answers in the common format, with one conversation. */
function detailWire({ conversation, messages, cursor }: History): Inbox {
  return {
    conversations: [{ ...conversationWire(conversation), messages: messages.map(messageWire) }],
    cursor,
  };
}

function historyWire({ conversation, messages, cursor }: History): ConversationHistory {
  return { conversation: conversationWire(conversation), messages: messages.map(messageWire), cursor };
}

function deltaWire({ groups, events, cursor }: Delta): Inbox {
  const conversations = groups.map(({ conversation, messages }) => ({
    ...conversationWire(conversation),
    messages: messages.map(messageWire),
  }));
  if (events.length === 0) return { conversations, cursor };
  return { conversations, events: events.map((event) => otherEventWire(event) as InboxEvent), cursor };
}
