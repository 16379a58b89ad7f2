import { GatewayError } from '../../base/errors.ts';
import { sharesLogin } from '../../connectors/contract/messenger.ts';
import { listBots } from '../../store/logins/bot-tokens.ts';
import type { Actor } from '../../store/people/audit-log.ts';
import type { AccountDomain } from '../account/account-domain.ts';
import { makeInviteLink } from '../account/invite-link.ts';

export interface TelegramLink {
  readonly url: string;
  /** With its @. */
  readonly botName: string;
  /** ISO 8601; null: it does not end. */
  readonly expiresAt: string | null;
}

/**
 * A deep link (https://core.telegram.org/bots/features#deep-linking) to the shared bot, with an invite token in it; else
 * one to the account's own bot. Throws `no_telegram_bot`, `email_not_verified`, or `platform_failed` while the shared bot's name is not known.
 */
export async function makeTelegramLink(domain: AccountDomain, actor: Actor): Promise<TelegramLink> {
  const connector = domain.calls.connectors.get('telegram');
  const shared = connector && sharesLogin(connector) ? connector.sharedLogin() : null;
  if (shared === null) return await linkToOwnBot(domain, actor.accountId);
  if (shared.name === null) throw new GatewayError('platform_failed', shared.status);
  const { token, expiresAt } = await makeInviteLink(domain, actor);
  return { url: `${addressOf(shared.name)}?start=${token}`, botName: shared.name, expiresAt };
}

/** Anybody may write to it, so that there is nothing to bind. */
async function linkToOwnBot({ store }: AccountDomain, accountId: string): Promise<TelegramLink> {
  const bots = await listBots(store.db, accountId);
  const bot = bots.findLast(({ platform, botName }) => platform === 'telegram' && botName !== null);
  if (!bot?.botName) throw new GatewayError('no_telegram_bot');
  return { url: addressOf(bot.botName), botName: bot.botName, expiresAt: null };
}

function addressOf(botName: string): string {
  return `https://t.me/${botName.replace(/^@/, '')}`;
}
