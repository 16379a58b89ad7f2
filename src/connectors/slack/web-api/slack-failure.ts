import { type FailureKind, unanswered } from '../../kit/unanswered.ts';

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

/** Classifies a rejection of `fetch`. */
export function failureOf(error: unknown): SlackFailure {
  if (error instanceof SlackFailure) return error;
  const { kind, words } = unanswered('Slack', error);
  return new SlackFailure(kind, words);
}
