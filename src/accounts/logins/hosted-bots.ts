import { GatewayError } from '../../base/errors.ts';
import type { Platform } from '../../base/platform.ts';
import { type HostsBots, hostsBots, type LoginState } from '../../connectors/contract/messenger.ts';
import { listBotsToLogIn, updateBotState } from '../../store/logins/bot-tokens.ts';
import type { BotPlatform } from '../../store/logins/login-tables.ts';
import type { AccountDomain } from '../account/account-domain.ts';

/** Returns the connector that hosts a platform's bots; null when the gateway has none. */
export function botHost({ calls }: AccountDomain, platform: Platform): HostsBots | null {
  const connector = calls.connectors.get(platform);
  return connector && hostsBots(connector) ? connector : null;
}

/**
 * Starts the login of every registered bot, each in the background, and stores the states that the platforms report.
 * Resolves when all logins have been started.
 */
export async function logInBots(domain: AccountDomain): Promise<void> {
  const { db, secrets } = domain.store;
  for (const [platform, connector] of domain.calls.connectors) {
    if (!hostsBots(connector)) continue;
    connector.onBotState((botId, state) => void keepState(domain, botId, state));
    for (const { id, token } of await listBotsToLogIn(db, secrets, platform as BotPlatform)) {
      if (token === null)
        await keepState(domain, id, { name: null, status: 'The token cannot be decrypted' });
      else void logIn(domain, connector, id, token);
    }
  }
}

/** Logs in a bot. A refused bot stays registered, with the reason as its status for its owner to act on. */
async function logIn(domain: AccountDomain, host: HostsBots, id: string, token: string): Promise<void> {
  try {
    await host.addBot({ id, token });
  } catch (error) {
    const status = error instanceof GatewayError ? error.message : 'The bot could not be logged in';
    await keepState(domain, id, { name: null, status });
  }
}

/** Stores a bot's state. Never rejects. A state without a name keeps the stored name. */
async function keepState(
  { store, calls }: AccountDomain,
  botId: string,
  { name, status }: LoginState,
): Promise<void> {
  try {
    await updateBotState(store.db, botId, { status, ...(name === null ? {} : { botName: name }) });
  } catch (error) {
    calls.events.writeFailed('state of a bot', error);
  }
}
