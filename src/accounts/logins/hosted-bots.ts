import { GatewayError } from '../../base/errors.ts';
import type { Platform } from '../../base/platform.ts';
import type { HostedBot, HostsBots, LoginState } from '../../connectors/contract/login.ts';
import { changeRows } from '../../store/database/rows.ts';
import { listBotsToLogIn } from '../../store/logins/bot-tokens.ts';
import type { AccountDomain } from '../account/account-domain.ts';

/** Returns the connector that hosts a platform's bots; null when the gateway has none. */
export function botHost({ calls }: AccountDomain, platform: Platform): HostsBots | null {
  return calls.connectors.get(platform)?.provides.bots ?? null;
}

/**
 * Starts the login of every registered bot, each in the background, and stores the states that the platforms report.
 * Resolves when all logins have been started.
 */
export async function logInBots(domain: AccountDomain): Promise<void> {
  const { db, secrets } = domain.store;
  for (const [platform, { provides }] of domain.calls.connectors) {
    const host = provides.bots;
    if (host === undefined) continue;
    host.onBotState((botId, state) => {
      domain.calls.events.botChanged(platform, botId, state.status);
      void keepState(domain, botId, state);
    });
    for (const { id, token, ...others } of await listBotsToLogIn(db, secrets, platform)) {
      if (token === null)
        await keepState(domain, id, { name: null, status: 'The token cannot be decrypted' });
      else void logIn(domain, host, { id, token, ...others });
    }
  }
}

/** Logs in a bot. A refused bot stays registered, with the reason as its status for its owner to act on. */
async function logIn(domain: AccountDomain, host: HostsBots, bot: HostedBot): Promise<void> {
  try {
    await host.addBot(bot);
  } catch (error) {
    const status = error instanceof GatewayError ? error.message : 'The bot could not be logged in';
    await keepState(domain, bot.id, { name: null, status });
  }
}

/** Stores a bot's state. Never rejects. A state without a name keeps the stored name. */
async function keepState(
  { store, calls }: AccountDomain,
  botId: string,
  { name, status }: LoginState,
): Promise<void> {
  try {
    await changeRows(store.db, 'botTokens', { id: botId }, { status, botName: name ?? undefined });
  } catch (error) {
    calls.events.writeFailed('state of a bot', error);
  }
}
