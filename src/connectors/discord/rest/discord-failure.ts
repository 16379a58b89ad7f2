import { DiscordAPIError, HTTPError, RateLimitError } from '@discordjs/rest';
import { cutText } from '../../../base/cut-text.ts';
import { GatewayError } from '../../../base/errors.ts';

/** Stands in for a token in whatever Discord says. */
export const HIDDEN_TOKEN = '[token]';

/** Kinds of failed requests. */
export type FailureKind =
  /** Discord rejected the request. */
  | 'refused'
  /** Rate limited or overloaded. Nothing was done. */
  | 'later'
  /** The request did not reach Discord. */
  | 'unreachable'
  /** The request may have been carried out: there was no readable answer, or a server error. */
  | 'unclear';

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
    super(oneLine(words));
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

/** Error codes of requests that never left, or that failed before the server read their first byte. */
const NEVER_ARRIVED =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|\w*CERT\w*|\w*SIGNATURE\w*)$/;

/** Classifies what a request rejected with. `wasWhole`: the entire request had been handed over. */
export function failureOf(error: unknown, wasWhole = true): DiscordFailure {
  if (error instanceof DiscordFailure) return error;
  if (error instanceof RateLimitError) return limited(error);
  if (error instanceof DiscordAPIError) return refusal(error);
  if (error instanceof HTTPError)
    return new DiscordFailure('unclear', `Discord answered ${error.status}`, { status: error.status });
  const source = sourceOf(error);
  if (source) return new DiscordFailure('refused', source.message);
  const code = codeOf(error);
  if (NEVER_ARRIVED.test(code))
    return new DiscordFailure('unreachable', `Discord could not be reached: ${code}`);
  const words = `Discord did not answer${code === '' ? '' : ` (${code})`}`;
  return new DiscordFailure(wasWhole ? 'unclear' : 'unreachable', words);
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

/** Finds the error of a file to upload that could not be read: the only part of a request read from elsewhere. */
function sourceOf(error: unknown): GatewayError | null {
  const { cause } = error as { cause?: unknown };
  return [error, cause].find((each) => each instanceof GatewayError) ?? null;
}

/** Returns the system error code. `fetch` wraps the system's error, which may be one error per address of the host. */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown; errors?: readonly { code?: unknown }[] } };
  const code = cause?.code ?? cause?.errors?.[0]?.code ?? (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : '';
}

function oneLine(words: string): string {
  return cutText(words.replace(/[\s\p{Cc}]+/gu, ' ').trim(), MAX_WORDS);
}
