import type { Platform } from '../../base/platform.ts';
import type { Address } from '../../connectors/contract/messenger.ts';
import type { Member } from '../../store/agents/agents.ts';
import type { Db } from '../../store/database/tables.ts';
import { findBotOwner } from '../../store/logins/bot-tokens.ts';
import { connectionsOfRemote } from '../../store/logins/connections.ts';
import { type Conversation, findConversationWith } from '../../store/messages/conversations.ts';

/** The login that all accounts of the gateway share at a platform, as tables name it. */
export const SHARED_LOGIN = 'shared';

/** Whom somebody writes to: an account, by one of its platform accounts. */
export interface Receiver {
  readonly accountId: string;
  readonly member: Member;
  /** Of a connection: the name and status that it has for the person. */
  readonly connection: { readonly remoteId: string | null; readonly status: string } | null;
}

/**
 * Whom a person writes to. A bot is of one account. The shared login serves everybody who is bound to an account; who is
 * bound to several means the one that they had to do with last, which comes first.
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

/** The conversations that these receivers have with a person, in their order. */
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
