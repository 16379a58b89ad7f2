import { GatewayError } from '../../base/errors.ts';
import { noLoginText } from '../../base/platform.ts';
import type { Connector } from '../../connectors/contract/connector.ts';
import type { LinksToBots } from '../../connectors/contract/login.ts';
import { listBots } from '../../store/logins/bot-tokens.ts';
import type { Actor } from '../../store/people/audit-log.ts';
import type { AccountDomain } from '../account/account-domain.ts';
import { makeInviteLink } from '../account/invite-link.ts';

/** A link that opens a chat with a bot. */
export interface BotLink {
  readonly url: string;
  /** As people see it, with its leading @ where the platform has one. */
  readonly botName: string;
  /** An invite token that the person sends to the bot, where the link does not hand it over. */
  readonly code: string | null;
  /** ISO 8601; null: the link does not expire. */
  readonly expiresAt: string | null;
}

/** A platform with links to its bots. */
export type LinkingPlatform = Pick<Connector, 'platform' | 'provides'> & { readonly links: LinksToBots };

/**
 * Returns a link with an invite token to the platform's shared bot, or without a shared bot a link to the account's own
 * bot. Throws `platform_not_configured`, `email_not_verified`, `cap_reached`, or `platform_failed` while the shared
 * bot's name is unknown.
 */
export async function makeBotLink(
  domain: AccountDomain,
  actor: Actor,
  target: LinkingPlatform,
): Promise<BotLink> {
  const shared = target.provides.sharedLogin?.sharedLogin() ?? null;
  if (shared === null) return await linkToOwnBot(domain, actor.accountId, target);
  if (shared.name === null) throw new GatewayError('platform_failed', shared.status);
  const { token, expiresAt } = await makeInviteLink(domain, actor);
  const { links } = target;
  const url = links.botLink({ login: { kind: 'shared' }, name: shared.name }, token);
  return { url, botName: shared.name, code: links.carriesToken ? null : token, expiresAt };
}

/** Returns a link without an invite token: anyone may write to the account's own bot. */
async function linkToOwnBot(
  { store }: AccountDomain,
  accountId: string,
  { platform: wanted, links }: LinkingPlatform,
): Promise<BotLink> {
  const bots = await listBots(store.db, accountId);
  const bot = bots.findLast(({ platform, botName }) => platform === wanted && botName !== null);
  if (!bot?.botName) throw new GatewayError('platform_not_configured', noLoginText(wanted));
  const login = { kind: 'bot_token', id: bot.id } as const;
  const url = links.botLink({ login, name: bot.botName }, null);
  return { url, botName: bot.botName, code: null, expiresAt: null };
}
