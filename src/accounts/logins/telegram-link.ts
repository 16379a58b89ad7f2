import { GatewayError } from '../../base/errors.ts';
import { listBots } from '../../store/logins/bot-tokens.ts';
import type { Actor } from '../../store/people/audit-log.ts';
import type { AccountDomain } from '../account/account-domain.ts';
import { makeInviteLink } from '../account/invite-link.ts';

export interface TelegramLink {
  readonly url: string;
  /** With the leading @. */
  readonly botName: string;
  /** ISO 8601; null: the link does not expire. */
  readonly expiresAt: string | null;
}

/**
 * Returns a deep link (https://core.telegram.org/bots/features#deep-linking) with an invite token to the shared bot, or
 * without a shared bot a link to the account's own bot. Throws `no_telegram_bot`, `email_not_verified`, `cap_reached`,
 * or `platform_failed` while the shared bot's name is unknown.
 */
export async function makeTelegramLink(domain: AccountDomain, actor: Actor): Promise<TelegramLink> {
  const shared = domain.calls.connectors.get('telegram')?.provides.sharedLogin?.sharedLogin() ?? null;
  if (shared === null) return await linkToOwnBot(domain, actor.accountId);
  if (shared.name === null) throw new GatewayError('platform_failed', shared.status);
  const { token, expiresAt } = await makeInviteLink(domain, actor);
  return { url: `${addressOf(shared.name)}?start=${token}`, botName: shared.name, expiresAt };
}

/** Returns a link without an invite token: anyone may write to the account's own bot. */
async function linkToOwnBot({ store }: AccountDomain, accountId: string): Promise<TelegramLink> {
  const bots = await listBots(store.db, accountId);
  const bot = bots.findLast(({ platform, botName }) => platform === 'telegram' && botName !== null);
  if (!bot?.botName) throw new GatewayError('no_telegram_bot');
  return { url: addressOf(bot.botName), botName: bot.botName, expiresAt: null };
}

function addressOf(botName: string): string {
  return `https://t.me/${botName.replace(/^@/, '')}`;
}
