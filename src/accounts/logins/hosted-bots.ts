import { GatewayError } from '../../base/errors.ts';
import type { Platform } from '../../base/platform.ts';
import { type HostsBots, hostsBots, type LoginState } from '../../connectors/contract/messenger.ts';
import { listBotsToLogIn, updateBotState } from '../../store/logins/bot-tokens.ts';
import type { BotPlatform } from '../../store/logins/login-tables.ts';
import type { AccountDomain } from '../account/account-domain.ts';

/** The connector that logs a platform's bots in; null: this gateway has none. */
export function botHost({ calls }: AccountDomain, platform: Platform): HostsBots | null {
  const connector = calls.connectors.get(platform);
  return connector && hostsBots(connector) ? connector : null;
}

/**
 * Logs in all bots that are registered, each by itself and in the background, and keeps what the platforms say of them.
 * Resolves when every one of them is under way.
 */
export async function logInBots(domain: AccountDomain): Promise<void> {
  const { db, secrets } = domain.store;
  for (const [platform, connector] of domain.calls.connectors) {
    if (!hostsBots(connector)) continue;
    connector.onBotState((botId, state) => void keepState(domain, botId, state));
    for (const { id, token } of await listBotsToLogIn(db, secrets, platform as BotPlatform)) {
      if (token === null) await keepState(domain, id, { name: null, status: 'The token cannot be read' });
      else void logIn(domain, connector, id, token);
    }
  }
}

/** A bot that the platform refuses stays registered and says so: its owner knows what to do about it. */
async function logIn(domain: AccountDomain, host: HostsBots, id: string, token: string): Promise<void> {
  try {
    await host.addBot({ id, token });
  } catch (error) {
    const status = error instanceof GatewayError ? error.message : 'The bot could not be logged in';
    await keepState(domain, id, { name: null, status });
  }
}

/** Never rejects. A name once known is kept. */
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
