import { GatewayError } from '../../base/errors.ts';

/** What every token of a platform looks like. */
export interface TokenForm {
  readonly pattern: RegExp;
  /** What it looks like and where it comes from: one or two sentences for whoever has pasted something else. */
  readonly hint: string;
}

/** Throws `bot_token_malformed` for a text that the platform cannot have made, so the platform need not be asked. */
export function requireForm(token: string, { pattern, hint }: TokenForm): void {
  if (!pattern.test(token)) throw new GatewayError('bot_token_malformed', hint);
}
