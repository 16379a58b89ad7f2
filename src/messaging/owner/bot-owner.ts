import { randomBytes } from 'node:crypto';
import { GatewayError } from '../../base/errors.ts';
import { hashToken } from '../../base/ids.ts';
import { noLoginText, type Platform } from '../../base/platform.ts';
import { type Clock, isoAfter } from '../../base/time.ts';
import { newestBot } from '../../store/agents/test-targets.ts';
import { type Db, findRow, findUnexpired, putRow } from '../../store/database/rows.ts';
import { findBotOwner } from '../../store/logins/bot-tokens.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import type { Store } from '../../store/store.ts';

/** A bot's owner, identified by their conversation with it. */
export interface BotOwner {
  readonly botId: string;
  readonly conversationId: string;
  readonly remoteName: string | null;
}

/**
 * Marks the person in a conversation as the owner of the account's bot. Throws `conversation_not_found`,
 * `owner_is_linked` when the conversation belongs to a connection, and `owner_in_channel` when it is not a direct one.
 */
export async function markOwner(
  { store, clock }: { readonly store: Pick<Store, 'db'>; readonly clock: Clock },
  actor: Actor,
  platform: Platform,
  conversationId: string,
): Promise<BotOwner> {
  return await store.db.transaction().execute(async (trx) => {
    const conversation = await findRow(trx, 'conversations', { id: conversationId });
    if (conversation?.accountId !== actor.accountId || conversation.platform !== platform)
      throw new GatewayError('conversation_not_found');
    if (conversation.memberType === 'connection') throw new GatewayError('owner_is_linked');
    if (conversation.spaceKind !== 'direct') throw new GatewayError('owner_in_channel');
    return await ownBot(trx, actor, conversation, clock.nowIso());
  });
}

/** Makes the person in a bot's conversation its owner. Call it in a transaction. Throws `conversation_not_found`. */
export async function ownBot(
  db: Db,
  actor: Actor,
  conversation: Conversation,
  nowIso: string,
): Promise<BotOwner> {
  const { id: conversationId, accountId, remoteName } = conversation;
  const botId = await botOf(db, conversation);
  await putRow(db, 'botOwners', { botId, accountId, conversationId, createdAt: nowIso }, { key: ['botId'] });
  await audit(db, actor, { action: 'bot_owner.mark', subject: botId, detail: { conversationId } });
  return { botId, conversationId, remoteName };
}

/** Conversations remain after their bot is removed. */
async function botOf(db: Db, { platform, memberType, memberId, accountId }: Conversation): Promise<string> {
  if (platform === 'agent' || memberType !== 'bot_token' || memberId === null)
    throw new GatewayError('conversation_not_found');
  if ((await findBotOwner(db, platform, memberId)) !== accountId)
    throw new GatewayError('conversation_not_found');
  return memberId;
}

const VALID_MS = 15 * 60_000;
/** Crockford's base32: no two characters look alike. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CODE = /^owner(?:-[0-9a-hjkmnp-tv-z]{4}){3}$/;
const GROUPS = 3;
const GROUP_LENGTH = 4;
const MAX_TEXT_LENGTH = 100;

/** A one-time code that a person sends to a bot to prove that they own it. */
export interface OwnerCode {
  readonly botId: string;
  /** Shown only once; only its hash is stored. */
  readonly code: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/**
 * Creates a code for the given bot of the account, or for the platform's newest bot. Invalidates the bot's former code.
 * Throws `connection_not_found`, `platform_not_configured`.
 */
export async function makeOwnerCode(
  { store, clock }: { readonly store: Pick<Store, 'db'>; readonly clock: Clock },
  actor: Actor,
  platform: Platform,
  botId: string | null,
): Promise<OwnerCode> {
  const code = newCode();
  const createdAt = clock.nowIso();
  const expiresAt = isoAfter(createdAt, VALID_MS);
  return await store.db.transaction().execute(async (trx) => {
    const bot = await newestBot(trx, actor.accountId, platform, botId);
    if (!bot) throw noLogin(platform, botId);
    const stored = { botId: bot.id, accountId: actor.accountId, codeHash: hashToken(code), usedBy: null };
    await putRow(trx, 'ownerCodes', { ...stored, createdAt, expiresAt }, { key: ['botId'] });
    await audit(trx, actor, { action: 'bot_owner.code', subject: bot.id, detail: { expiresAt } });
    return { botId: bot.id, code, expiresAt };
  });
}

/** Classifies a message to a bot: its valid code, a code that the same person has already used, or neither. */
export async function checkOwnerCode(
  db: Db,
  { botId, remoteId, text }: { readonly botId: string; readonly remoteId: string; readonly text: string },
  nowIso: string,
): Promise<'code' | 'repeated' | 'none'> {
  if (text.length > MAX_TEXT_LENGTH) return 'none';
  const code = text.trim().toLowerCase();
  if (!CODE.test(code)) return 'none';
  const known = await findUnexpired(db, 'ownerCodes', { botId, codeHash: hashToken(code) }, nowIso);
  if (!known) return 'none';
  if (known.usedBy === null) return 'code';
  return known.usedBy === remoteId ? 'repeated' : 'none';
}

/** 60 random bits, which cannot be guessed within 15 minutes. */
function newCode(): string {
  const characters = Array.from(
    randomBytes(GROUPS * GROUP_LENGTH),
    (byte) => ALPHABET[byte % ALPHABET.length],
  );
  const groups = Array.from({ length: GROUPS }, (_, n) =>
    characters.slice(n * GROUP_LENGTH, (n + 1) * GROUP_LENGTH).join(''),
  );
  return ['owner', ...groups].join('-');
}

/** Returns the error for an account that has no login on a platform, or no login with this id. */
export function noLogin(platform: Platform, loginId: string | null): GatewayError {
  if (loginId !== null) return new GatewayError('connection_not_found');
  return new GatewayError('platform_not_configured', noLoginText(platform));
}
