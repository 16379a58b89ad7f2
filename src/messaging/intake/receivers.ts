import { type Address, type LoginRef, SHARED_LOGIN } from '../../base/address.ts';
import type { Platform } from '../../base/platform.ts';
import type { Member } from '../../store/agents/agents.ts';
import { type Db, findRow } from '../../store/database/rows.ts';
import { findBotOwner } from '../../store/logins/bot-tokens.ts';
import { connectionsOfRemote } from '../../store/logins/connections.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import { findConversationAt, type Place } from '../../store/messages/spaces.ts';

/** The recipient of an inbound message: an account, by one of its platform accounts. */
export interface Receiver {
  readonly accountId: string;
  readonly member: Member;
  /** The link of a person or channel to the shared login. Null where the member is the login itself. */
  readonly connection: { readonly remoteId: string | null; readonly status: string } | null;
}

/** Returns the member whose conversations a login serves. Null: the shared login, which serves many. */
export function memberOfLogin(login: LoginRef): Member | null {
  return login.kind === 'shared' ? null : { type: login.kind, id: login.id };
}

/**
 * Returns the recipients of the messages from an address. A bot or connection belongs to one account. The shared login
 * serves the people and channels that are bound to an account; for a person bound to several, the account they last
 * dealt with comes first. Who writes in a channel does not matter: their own binding is for their direct conversation.
 */
export async function receiversOf(
  db: Db,
  platform: Platform,
  { login, space }: Address,
  alias: string | null,
): Promise<Receiver[]> {
  const member = memberOfLogin(login);
  if (member !== null) {
    const accountId = await ownerOf(db, platform, member);
    return accountId === undefined ? [] : [{ accountId, member, connection: null }];
  }
  const remoteIds = alias === null ? [space.id] : [space.id, alias];
  const bound = { provider: platform, loginKey: SHARED_LOGIN, spaceKind: space.kind, remoteIds };
  return (await connectionsOfRemote(db, bound)).map((connection) => ({
    accountId: connection.accountId,
    member: { type: 'connection', id: connection.id },
    connection,
  }));
}

async function ownerOf(db: Db, platform: Platform, { type, id }: Member): Promise<string | undefined> {
  return type === 'bot_token'
    ? await findBotOwner(db, platform, id)
    : (await findRow(db, 'connections', { id, provider: platform, loginKey: null }))?.accountId;
}

/** Returns the conversations of these receivers at a place, in the same order. */
export async function conversationsAt(
  db: Db,
  receivers: readonly Receiver[],
  place: Place,
  alias: string | null = null,
): Promise<Conversation[]> {
  const found: Conversation[] = [];
  for (const { member } of receivers) {
    const conversation = await findConversationAt(db, member, place, alias);
    if (conversation) found.push(conversation);
  }
  return found;
}
