import { DiscordAPIError, HTTPError, RateLimitError } from '@discordjs/rest';
import { oneLine } from '../../../base/one-line.ts';
import { type FailureKind, unanswered } from '../../kit/unanswered.ts';

/** Stands in for a token in whatever Discord says. */
export const HIDDEN_TOKEN = '[token]';

interface FailureFacts {
  /** HTTP status; 0 without an answer of Discord's. */
  readonly status?: number;
  /** Discord's own error code; 0: none. */
  readonly code?: number;
  /** Delay before a `later` request may be repeated. */
  readonly afterMs?: number;
}

/** A failed request, in Discord's words. */
export class DiscordFailure extends Error {
  readonly kind: FailureKind;
  readonly status: number;
  readonly code: number;
  readonly afterMs: number;

  constructor(kind: FailureKind, words: string, { status = 0, code = 0, afterMs = 0 }: FailureFacts = {}) {
    super(oneLine(words, MAX_WORDS));
    this.name = 'DiscordFailure';
    this.kind = kind;
    this.status = status;
    this.code = code;
    this.afterMs = afterMs;
  }

  /** Returns the failure with words that do not repeat the token. */
  without(token: string): DiscordFailure {
    const { kind, message } = this;
    return message.includes(token)
      ? new DiscordFailure(kind, message.replaceAll(token, HIDDEN_TOKEN), this)
      : this;
  }

  /** Whether the token is wrong or was reset. */
  get isLoggedOut(): boolean {
    return this.status === 401;
  }

  /** Whether the person, channel or message can no longer be reached. */
  get isGone(): boolean {
    return GONE.has(this.code);
  }
}

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
export const CODES = {
  unknownChannel: 10_003,
  unknownMessage: 10_008,
  unknownUser: 10_013,
  openingTooFast: 40_003,
  missingAccess: 50_001,
  cannotMessageUser: 50_007,
  noMutualGuilds: 50_278,
  overloaded: 130_000,
} as const;

const GONE: ReadonlySet<number> = new Set([
  CODES.unknownChannel,
  CODES.unknownUser,
  CODES.missingAccess,
  CODES.cannotMessageUser,
  CODES.noMutualGuilds,
]);

/** Codes of refusals that pass by themselves. */
const PASSING: ReadonlySet<number> = new Set([CODES.openingTooFast, CODES.overloaded]);
const PASSING_MS = 5_000;
const MIN_LIMIT_MS = 250;
const MAX_WORDS = 300;

/** Classifies what a request rejected with. `wasWhole`: the entire request had been handed over. */
export function failureOf(error: unknown, wasWhole = true): DiscordFailure {
  if (error instanceof DiscordFailure) return error;
  if (error instanceof RateLimitError) return limited(error);
  if (error instanceof DiscordAPIError) return refusal(error);
  if (error instanceof HTTPError)
    return new DiscordFailure('unclear', `Discord answered ${error.status}`, { status: error.status });
  const { kind, words } = unanswered('Discord', error, wasWhole);
  return new DiscordFailure(kind, words);
}

function limited({ timeToReset, retryAfter, global }: RateLimitError): DiscordFailure {
  const afterMs = Math.max(MIN_LIMIT_MS, ...[timeToReset, retryAfter].filter(Number.isFinite));
  const words = global ? 'You are being rate limited (global)' : 'You are being rate limited';
  return new DiscordFailure('later', words, { status: 429, afterMs });
}

function refusal({ status, code, message }: DiscordAPIError): DiscordFailure {
  // What is not Discord's answer, as of a proxy, says nothing about the token.
  if (typeof code !== 'number')
    return new DiscordFailure('refused', `Discord did not answer as expected (HTTP status ${status})`);
  const known = code;
  const isPassing = PASSING.has(known);
  const words = known === 0 ? message : `${message} (${known})`;
  const facts = { status, code: known, afterMs: isPassing ? PASSING_MS : 0 };
  return new DiscordFailure(isPassing ? 'later' : 'refused', words || `HTTP status ${status}`, facts);
}
