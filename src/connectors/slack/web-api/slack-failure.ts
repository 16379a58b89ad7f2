import { GatewayError } from '../../../base/errors.ts';

/** Kinds of failed requests to Slack. */
export type FailureKind =
  /** Slack rejected the request. */
  | 'refused'
  /** Rate limited, or a short outage. Nothing was done. */
  | 'later'
  /** The request did not reach Slack. */
  | 'unreachable'
  /** The request may have been carried out: there was no answer, or a server error. */
  | 'unclear';

/** Slack's words, and the gateway's, for a token that Slack does not accept, or no longer. */
const LOGIN_ERRORS: ReadonlySet<string> = new Set([
  'invalid_auth',
  'not_authed',
  'not_allowed_token_type',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'org_login_required',
  'team_access_not_granted',
  'connection_lost',
]);

export class SlackFailure extends Error {
  readonly kind: FailureKind;
  /** Slack's word for the error, such as `channel_not_found`; '' without an answer. */
  readonly word: string;
  /** Delay before retrying a `later` failure. */
  readonly afterMs: number;

  /** `reason` is Slack's own word, with what explains it, and never contains the token. */
  constructor(kind: FailureKind, reason: string, { word = '', afterMs = 0 } = {}) {
    super(reason);
    this.name = 'SlackFailure';
    this.kind = kind;
    this.word = word;
    this.afterMs = afterMs;
  }

  /** Whether the token is wrong or was revoked. */
  get isLoggedOut(): boolean {
    return this.kind === 'refused' && LOGIN_ERRORS.has(this.word);
  }
}

/** Error codes of requests that never left, or that failed before the server read their first byte. */
const NEVER_ARRIVED =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|\w*CERT\w*|\w*SIGNATURE\w*)$/;

/** Classifies a rejection of `fetch`. */
export function failureOf(error: unknown): SlackFailure {
  if (error instanceof SlackFailure) return error;
  const source = sourceOf(error);
  if (source) return new SlackFailure('refused', source.message);
  const code = codeOf(error);
  if (NEVER_ARRIVED.test(code)) return new SlackFailure('unreachable', `Slack could not be reached: ${code}`);
  return new SlackFailure('unclear', `Slack did not answer${code === '' ? '' : ` (${code})`}`);
}

/**
 * Finds the error of a file to upload that could not be read. Files are the only part of a request read from elsewhere.
 */
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
