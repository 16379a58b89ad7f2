import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { foldCase } from '../../base/fold-case.ts';
import { newId } from '../../base/ids.ts';
import type { AgentScope } from '../../base/scope.ts';
import { prepared } from '../database/prepared.ts';
import { type Db, insertRow, type Row } from '../database/rows.ts';
import type { Tables } from '../database/tables.ts';
import type { ConversationStatus, MessagePlatform } from './message-tables.ts';

export type Conversation = Row<'conversations'>;

/** Filters conversations. `status` null: any status. */
export interface ConversationFilter {
  readonly status: string | null;
  readonly platform?: MessagePlatform | undefined;
}

export interface ConversationPage extends ConversationFilter {
  readonly limit: number;
  readonly offset: number;
}

/** Undefined: there is none, or it is not visible to the scope. */
export async function findConversation(
  db: Db,
  scope: AgentScope,
  conversationId: string,
): Promise<Conversation | undefined> {
  return await db
    .selectFrom('conversations')
    .selectAll()
    .where('id', '=', conversationId)
    .where((eb) => isVisible(eb, scope))
    .executeTakeFirst();
}

/** Returns those of these conversations that are visible to the scope, by id. */
export async function listConversationsById(
  db: Db,
  scope: AgentScope,
  conversationIds: readonly string[],
): Promise<Map<string, Conversation>> {
  const rows = await db
    .selectFrom('conversations')
    .selectAll()
    .where('id', 'in', conversationIds)
    .where((eb) => isVisible(eb, scope))
    .execute();
  return new Map(rows.map((conversation) => [conversation.id, conversation]));
}

/** Returns the conversations visible to a scope, the one with the newest message first. */
export async function listConversations(
  db: Db,
  scope: AgentScope,
  { status, platform, limit, offset }: ConversationPage,
): Promise<Conversation[]> {
  let query = db
    .selectFrom('conversations')
    .selectAll()
    .where((eb) => isVisible(eb, scope));
  if (status !== null) query = query.where('status', '=', status as ConversationStatus);
  if (platform !== undefined) query = query.where('platform', '=', platform);
  return await query.orderBy('lastSeq', 'desc').orderBy('id').limit(limit).offset(offset).execute();
}

/** A peer as named in a request: agents by id or name, people and channels by platform id or name. */
export interface PeerName {
  readonly peer: string;
  /** Between agents only. Empty: the conversation without a task if there is one, else any. */
  readonly task: string;
}

interface PeerOnPlatform {
  readonly platform: MessagePlatform;
  readonly peer: PeerName;
}

/**
 * Returns the platform's conversation with the newest message among those visible to the scope. With a `peer`, only
 * conversations with them: names match case-insensitively, ids exactly. Only active ones unless `status` says
 * otherwise.
 */
export async function findNewestConversation(
  db: Db,
  scope: AgentScope,
  { platform, peer: { peer, task } }: PeerOnPlatform,
  status: string | null = 'active',
): Promise<Conversation | undefined> {
  let query = db
    .selectFrom('conversations')
    .selectAll()
    .where((eb) => isVisible(eb, scope))
    .where('platform', '=', platform);
  if (status !== null) query = query.where('status', '=', status as ConversationStatus);
  if (task !== '') query = query.where('task', '=', task);
  if (peer !== '')
    query = query
      .where((eb) => isNamed(eb, scope, platform, peer))
      .orderBy(({ eb }) => eb('task', '=', ''), 'desc');
  return await query.orderBy('lastSeq', 'desc').orderBy('id').limit(1).executeTakeFirst();
}

/** Records an inbound message with the platform's time `sentAt`, which restarts the service window. */
export async function heardFrom(db: Db, conversationId: string, sentAt: string): Promise<void> {
  await setHeard(db, { conversationId, sentAt });
}

const setHeard = prepared(
  (db, { conversationId, sentAt }: { readonly conversationId: string; readonly sentAt: string }) =>
    db
      .updateTable('conversations')
      .set({ status: 'active', lastInboundAt: sql<string>`max(coalesce(last_inbound_at, ''), ${sentAt})` })
      .where('id', '=', conversationId),
);

/**
 * Expression for the conversations visible to a scope: those of its agents' platform accounts and those of its agents
 * with other agents, limited to the scope's platforms.
 */
export function isVisible(
  eb: ExpressionBuilder<Tables, 'conversations'>,
  { accountId, agentIds, platforms }: AgentScope,
): Expression<SqlBool> {
  const ofMember = eb.exists(
    eb
      .selectFrom('agentAccounts')
      .select(sql`1`.as('one'))
      .whereRef('agentAccounts.memberType', '=', 'conversations.memberType')
      .whereRef('agentAccounts.memberId', '=', 'conversations.memberId')
      .where('agentAccounts.agentId', 'in', agentIds),
  );
  return eb.and([
    eb('conversations.accountId', '=', accountId),
    ...(platforms === null ? [] : [eb('conversations.platform', 'in', [...platforms])]),
    eb.or([
      ofMember,
      eb('conversations.agentId', 'in', agentIds),
      eb('conversations.peerAgentId', 'in', agentIds),
    ]),
  ]);
}

/** The peer in a conversation between agents is the one outside the scope, or either of them if the scope has both. */
function isNamed(
  eb: ExpressionBuilder<Tables, 'conversations'>,
  { agentIds }: AgentScope,
  platform: MessagePlatform,
  peer: string,
): Expression<SqlBool> {
  const name = foldCase(peer);
  if (platform !== 'agent')
    return eb.or([
      eb('conversations.remoteId', '=', peer),
      eb('conversations.alias', '=', peer),
      eb(sql`fold_case(remote_name)`, '=', name),
    ]);
  const named = (column: 'conversations.agentId' | 'conversations.peerAgentId') =>
    eb(
      column,
      'in',
      eb
        .selectFrom('agents')
        .select('agents.id')
        .where(({ eb: agent, or }) => or([agent('id', '=', peer), agent(sql`fold_case(name)`, '=', name)])),
    );
  return eb.or([
    eb.and([named('conversations.peerAgentId'), eb('conversations.agentId', 'in', agentIds)]),
    eb.and([named('conversations.agentId'), eb('conversations.peerAgentId', 'in', agentIds)]),
  ]);
}

/** Stores a new conversation and returns it. */
export async function insertConversation(db: Db, conversation: Conversation): Promise<Conversation> {
  await insertRow(db, 'conversations', conversation);
  return conversation;
}

/** Returns the fields of a new conversation without messages, for any kind of peer. */
export function emptyConversation(
  accountId: string,
  nowIso: string,
): Omit<Conversation, 'platform' | 'remoteId'> {
  return {
    id: newId('cnv'),
    accountId,
    memberType: null,
    memberId: null,
    agentId: null,
    peerAgentId: null,
    task: '',
    spaceKind: 'direct',
    thread: '',
    alias: null,
    remoteName: null,
    status: 'active',
    createdAt: nowIso,
    lastInboundAt: null,
    closure: null,
    lastSeq: 0,
  };
}
