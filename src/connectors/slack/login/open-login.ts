import type { Clock } from '../../../base/time.ts';
import type { LoginState } from '../../contract/login.ts';
import type { MessageIntake } from '../../contract/messenger.ts';
import { type AccessToken, SlackApi, type SlackUrls } from '../client.ts';
import type { SlackObserver } from '../slack-observer.ts';
import type { AccountLogin, BotIdentity, SlackRecords } from '../slack-records.ts';
import type { Logins } from './logins.ts';
import { SlackLogin } from './slack-login.ts';

/** What all logins have in common. */
export interface LoginWorld {
  readonly urls: SlackUrls;
  readonly clock: Clock;
  readonly observer: SlackObserver;
  readonly records: SlackRecords;
  readonly logins: Logins;
  intake(): MessageIntake;
}

export interface NewLogin {
  readonly ref: AccountLogin;
  readonly token: AccessToken;
  /** Null: the login gets no webhooks. */
  readonly signingSecret: string | null;
  /** Returns the error for a bot that another login already is. */
  taken(): Error;
  onState(state: LoginState): void;
}

/** Adds a login to the others. It hears events at once where it was, and can send. */
export async function openLogin(world: LoginWorld, wanted: NewLogin): Promise<SlackLogin> {
  const { ref, token, signingSecret, onState } = wanted;
  const { urls, clock, records, logins } = world;
  const api = new SlackApi(urls, token, clock);
  const claim = (identity: BotIdentity) => claimIdentity(world, wanted, identity);
  const located = () => logins.located(ref.id);
  const deps = { ...world, ref, api, onState, claim, located };
  const login = new SlackLogin(deps, await records.identity(ref.id));
  logins.add(ref.id, { login, signingSecret });
  return login;
}

/** One bot of Slack's belongs to one account, whoever knows its token. */
async function claimIdentity(
  { records }: LoginWorld,
  { ref, taken }: NewLogin,
  identity: BotIdentity,
): Promise<void> {
  if (!(await records.claim(ref, identity))) throw taken();
}
