import { GatewayError } from '../../../base/errors.ts';
import type { ConnectionTokens } from '../../contract/oauth.ts';
import { SlackFailure } from './slack-failure.ts';

/** Format of every token: the header takes nothing else. */
const TOKEN = /^x(?:ox|app-)[\w.-]{1,500}$/;

/** The token that requests are made with. Rejections are SlackFailures. */
export interface AccessToken {
  current(): Promise<string>;
  /** Returns another token to try once, after Slack refused this one; null: there is none. */
  replaced(refused: string): Promise<string | null>;
}

/** A token that stays the same. Throws a SlackFailure, like Slack's own, when it is malformed. */
export function fixedToken(token: string): AccessToken {
  if (!TOKEN.test(token)) throw new SlackFailure('refused', 'invalid_auth', { word: 'invalid_auth' });
  return { current: async () => token, replaced: async () => null };
}

/** The token of a connection, which expires where the app rotates its tokens. */
export function connectionToken(tokens: ConnectionTokens, connectionId: string): AccessToken {
  return {
    current: async () => await tokens.accessToken(connectionId).catch(fail),
    replaced: async (refused) => await tokens.refused(connectionId, refused).catch(fail),
  };
}

function fail(error: unknown): never {
  const { code, message } = error instanceof GatewayError ? error : new GatewayError('platform_failed');
  throw code === 'platform_failed'
    ? new SlackFailure('unreachable', message)
    : new SlackFailure('refused', message, { word: code });
}
