import { GatewayError } from '../base/errors.ts';
import type { Platform } from '../base/platform.ts';
import { type Conversation, openConversation } from '../store/conversations.ts';
import { newestBot, newestBotConversation, newestConnection } from '../store/test-targets.ts';
import { ANSWER_MS, type SentDm } from './dm.ts';
import type { OutboundDomain, Writer } from './outbound-domain.ts';
import { sendFailed, sentOf } from './sent-dm.ts';
import { requireMessenger } from './stored-message.ts';
import { writeMessage } from './write-message.ts';

const TEXT = 'This is a test message: your agent can reach you here.';
/** So it is said where a bot is what one registers (specification, "Errors"). */
const BOT_PLATFORMS: readonly Platform[] = ['discord', 'telegram'];

/**
 * Sends a test message to the account's own person on a platform: by the connection or bot that is named, else by the
 * one that was connected last. Throws `connection_not_found`, `platform_not_configured`, `no_conversation` (a bot that
 * nobody has written to), `send_failed` with the platform's own words, `too_many_messages`.
 */
export async function sendTestDm(
  domain: OutboundDomain,
  { scope: { accountId } }: Pick<Writer, 'scope'>,
  platform: Platform,
  loginId: string,
): Promise<SentDm> {
  const conversation = await targetOf(domain, accountId, platform, loginId === '' ? null : loginId);
  requireMessenger(domain, conversation).checkText(TEXT, false);
  if (domain.windows && (await domain.windows.mustWait(domain.store.db, conversation)))
    throw sendFailed('the 24 h window is closed; write to the gateway first');
  const draft = { senderAgentId: null, text: TEXT, files: [], request: null };
  const { message, settled } = await writeMessage(domain, conversation.id, draft, ANSWER_MS);
  return sentOf(message.id, await settled);
}

async function targetOf(
  { store: { db }, clock }: OutboundDomain,
  accountId: string,
  platform: Platform,
  loginId: string | null,
): Promise<Conversation> {
  const connection = await newestConnection(db, accountId, platform, loginId);
  if (connection) {
    const { id, remoteId, label } = connection;
    const member = { type: 'connection', id } as const;
    const remote = { accountId, platform, member, remoteId, alias: null, remoteName: label };
    return await db.transaction().execute((trx) => openConversation(trx, remote, clock.nowIso()));
  }
  const bot = await newestBot(db, accountId, platform, loginId);
  if (!bot) throw noLogin(platform, loginId);
  const conversation = await newestBotConversation(db, bot.id);
  if (!conversation) throw new GatewayError('no_conversation');
  return conversation;
}

function noLogin(platform: Platform, loginId: string | null): GatewayError {
  if (loginId !== null) return new GatewayError('connection_not_found');
  const login = BOT_PLATFORMS.includes(platform) ? 'bot registered' : 'connection configured';
  return new GatewayError('platform_not_configured', `No ${platform} ${login}`);
}
