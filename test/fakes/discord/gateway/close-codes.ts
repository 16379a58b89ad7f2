import { GatewayCloseCodes as Close } from 'discord-api-types/v10';

/** A client that closes so has left; with any other code it may come back. */
export const FAREWELLS: readonly number[] = [1000, 1001];

/** Codes after which a session is not there any more. */
export const ENDING: readonly Close[] = [Close.InvalidSeq, Close.SessionTimedOut, Close.AuthenticationFailed];

/** As Discord words them. */
export const CLOSE_REASONS: Readonly<Record<Close, string>> = {
  [Close.UnknownError]: 'Unknown error.',
  [Close.UnknownOpcode]: 'Unknown opcode.',
  [Close.DecodeError]: 'Error while decoding payload.',
  [Close.NotAuthenticated]: 'Not authenticated.',
  [Close.AuthenticationFailed]: 'Authentication failed.',
  [Close.AlreadyAuthenticated]: 'Already authenticated.',
  [Close.InvalidSeq]: 'Invalid seq.',
  [Close.RateLimited]: 'Rate limited.',
  [Close.SessionTimedOut]: 'Session timed out.',
  [Close.InvalidShard]: 'Invalid shard.',
  [Close.ShardingRequired]: 'Sharding required.',
  [Close.InvalidAPIVersion]: 'Invalid API version.',
  [Close.InvalidIntents]: 'Invalid intent(s).',
  [Close.DisallowedIntents]: 'Disallowed intent(s).',
};
