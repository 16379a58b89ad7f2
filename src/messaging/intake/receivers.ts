import type { Platform } from '../../base/platform.ts';
import type { Address } from '../../connectors/contract/messenger.ts';
import type { Member } from '../../store/agents/agents.ts';
import type { Db } from '../../store/database/tables.ts';
import { findBotOwner } from '../../store/logins/bot-tokens.ts';
import { connectionsOfRemote } from '../../store/logins/connections.ts';
import { type Conversation, findConversationWith } from '../../store/messages/conversations.ts';

/** Key of a platform's shared login, used by all accounts, as stored in the tables. */
export const SHARED_LOGIN = 'shared';

/** The recipient of a person's message: an account, by one of its platform accounts. */
export interface Receiver {
  readonly accountId: string;
  readonly member: Member;
  /** For a connection: the person's id and the connection's status. */
  readonly connection: { readonly remoteId: string | null; readonly status: string } | null;
}

/**
 * Returns the recipients of a person's messages. A bot belongs to one account. The shared login serves everyone bound
 * to an account; for a person bound to several, the account they last dealt with comes first.
 */
export async function receiversOf(
  db: Db,
  platform: Platform,
  { login, remoteId }: Address,
  alias: string | null,
): Promise<Receiver[]> {
  if (login.kind === 'bot_token') {
    const accountId = await findBotOwner(db, platform, login.id);
    if (accountId === undefined) return [];
    return [{ accountId, member: { type: 'bot_token', id: login.id }, connection: null }];
  }
  const remoteIds = alias === null ? [remoteId] : [remoteId, alias];
  const bound = { provider: platform, loginKey: SHARED_LOGIN, remoteIds };
  return (await connectionsOfRemote(db, bound)).map((connection) => ({
    accountId: connection.accountId,
    member: { type: 'connection', id: connection.id },
    connection,
  }));
}

/** Returns the conversations of these receivers with a person, in the same order. */
export async function conversationsOf(
  db: Db,
  receivers: readonly Receiver[],
  remoteId: string,
  alias: string | null = null,
): Promise<Conversation[]> {
  const found: Conversation[] = [];
  for (const { member } of receivers) {
    const conversation = await findConversationWith(db, member, remoteId, alias);
    if (conversation) found.push(conversation);
  }
  return found;
}
