import { GatewayError, SuggestedRemedy, sendFailed } from '../../base/errors.ts';
import { PLATFORM_TRAITS, type Platform } from '../../base/platform.ts';
import type { Remedy } from '../../connectors/contract/messenger.ts';
import { newestBot, newestConnection, newestOwnedBot } from '../../store/agents/test-targets.ts';
import type { Db } from '../../store/database/rows.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import { openConversation } from '../../store/messages/spaces.ts';
import type { PlatformConversation } from '../intake/intake-domain.ts';
import type { OutboundDomain, Writer } from '../outbox/outbound-domain.ts';
import { type SentDm, sentOf } from '../outbox/sent-dm.ts';
import { requireMessenger } from '../outbox/stored-message.ts';
import { writeNotice } from '../outbox/write-message.ts';
import { noLogin } from './bot-owner.ts';

const TEST = 'This is a test message: your agent can reach you here.';
const CONFIRMATION = 'You are now the owner of this bot. Test messages will arrive here.';

/**
 * Sends a test message to the operator's own account on a platform: through the given connection or bot, else through
 * the newest one whose person is known. Throws `connection_not_found`, `platform_not_configured`, `owner_unknown` (no
 * owner is marked for the bot), `no_conversation` (the owner has blocked the bot), `send_failed` with the platform's
 * own words and with a suggestion where it is known what helps, `capability_missing`, `too_many_messages`.
 */
export async function sendTestDm(
  domain: OutboundDomain,
  { scope: { accountId } }: Pick<Writer, 'scope'>,
  platform: Platform,
  loginId: string,
): Promise<SentDm> {
  const { dms, title } = PLATFORM_TRAITS[platform];
  if (!dms) throw new GatewayError('capability_missing', `${title} has no direct messages`);
  const conversation = await targetOf(domain, accountId, platform, loginId === '' ? null : loginId);
  const messenger = requireMessenger(domain, conversation);
  return await suggesting(messenger.remedies ?? [], async () => {
    messenger.checkText(TEST, false);
    if (domain.windows && (await domain.windows.mustWait(domain.store.db, conversation)))
      throw sendFailed('the 24-hour window is closed; send the gateway a message first');
    const { messageId, settled } = await writeNotice(domain, conversation.id, TEST);
    return sentOf([messageId], [settled]);
  });
}

/** Runs a function. A platform's refusal that one of its remedies helps against is thrown with the suggestion. */
async function suggesting<T>(remedies: readonly Remedy[], run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'send_failed') throw error;
    const remedy = remedies.find(({ words }) => words.test(error.message));
    throw remedy === undefined ? error : new SuggestedRemedy(error, remedy.suggestion);
  }
}

/** Considers only people known to be the account's own: those who linked a connection or own a bot. */
async function targetOf(
  { store: { db }, clock }: OutboundDomain,
  accountId: string,
  platform: Platform,
  loginId: string | null,
): Promise<Conversation> {
  const connection = await newestConnection(db, accountId, platform, loginId);
  const bot = await newestOwnedBot(db, accountId, platform, loginId);
  if (bot && (!connection || bot.createdAt > connection.createdAt)) return requireActive(bot.conversation);
  if (!connection) throw await unknownOwner(db, accountId, platform, loginId);
  const { id, remoteId, label } = connection;
  const member = { type: 'connection', id } as const;
  const space = { kind: 'direct', id: remoteId } as const;
  const remote = { accountId, platform, member, space, thread: null, alias: null, remoteName: label };
  return await db.transaction().execute((trx) => openConversation(trx, remote, clock.nowIso()));
}

function requireActive(conversation: Conversation): Conversation {
  if (conversation.status !== 'active') throw new GatewayError('no_conversation');
  return conversation;
}

async function unknownOwner(
  db: Db,
  accountId: string,
  platform: Platform,
  loginId: string | null,
): Promise<GatewayError> {
  if (!(await newestBot(db, accountId, platform, loginId))) return noLogin(platform, loginId);
  const path = `POST /api/platforms/${platform}/owner`;
  return new GatewayError(
    'owner_unknown',
    `The bot has no owner yet. Send ${path} the conversation_id of your own conversation with the bot, or send the bot the code that ${path}/code returns`,
  );
}

const ENDED =
  'Your agent and another bot have answered each other 10 times in a row, so the other bot is not heard for the rest of the hour, or until a person writes there. Where: ';

/** Tells the operator that their agent no longer hears another bot; nobody, where nobody is known. */
export async function tellOfBots(
  domain: OutboundDomain,
  { accountId, platform, memberType, memberId, remoteName, remoteId }: PlatformConversation,
): Promise<void> {
  try {
    const { id } = await targetOf(domain, accountId, platform, memberType === 'bot_token' ? memberId : null);
    await writeNotice(domain, id, `${ENDED}${remoteName ?? remoteId}`);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
  }
}

/** Confirms to a person that their one-time code made them the bot's owner. */
export async function confirmOwner(domain: OutboundDomain, conversationId: string): Promise<void> {
  await writeNotice(domain, conversationId, CONFIRMATION);
}
