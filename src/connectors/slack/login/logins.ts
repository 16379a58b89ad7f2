import type { Envelope } from '../events/event-payload.ts';
import { installedIn } from '../slack-records.ts';
import type { SlackLogin } from './slack-login.ts';

/** A login with the secret with which its app's events are signed. */
export interface SignedLogin {
  readonly login: SlackLogin;
  /** Null: no request can be verified. */
  readonly signingSecret: string | null;
}

/** The logins by their keys, and by where their apps are installed. */
export class Logins {
  readonly #byKey = new Map<string, SignedLogin>();
  /** Ids of workspaces and organizations, each with the keys of its logins. */
  readonly #byPlace = new Map<string, Set<string>>();
  readonly #places = new Map<string, string>();

  add(key: string, login: SignedLogin): void {
    this.#byKey.set(key, login);
    this.located(key);
  }

  /** Call it when Slack has told who the login is. */
  located(key: string): void {
    const identity = this.get(key)?.identity ?? null;
    this.#leave(key);
    if (identity === null) return;
    const place = installedIn(identity);
    this.#places.set(key, place);
    this.#byPlace.set(place, (this.#byPlace.get(place) ?? new Set()).add(key));
  }

  remove(key: string): SlackLogin | null {
    const { login } = this.#byKey.get(key) ?? {};
    this.#byKey.delete(key);
    this.#leave(key);
    return login ?? null;
  }

  get(key: string): SlackLogin | null {
    return this.#byKey.get(key)?.login ?? null;
  }

  get all(): readonly SignedLogin[] {
    return [...this.#byKey.values()];
  }

  /** Returns the logins in the workspace or organization for which an event is meant. */
  at(envelope: Envelope): readonly SignedLogin[] {
    const keys = [...placesOf(envelope)].flatMap((place) => [...(this.#byPlace.get(place) ?? [])]);
    return [...new Set(keys)].flatMap((key) => this.#byKey.get(key) ?? []);
  }

  #leave(key: string): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    this.#places.delete(key);
    const keys = this.#byPlace.get(place);
    keys?.delete(key);
    if (keys?.size === 0) this.#byPlace.delete(place);
  }
}

/** Where the app is installed. In channels shared with others, the event's own workspace may be another one. */
export function placesOf({
  authorizations,
  team_id: teamId,
  enterprise_id: enterpriseId,
}: Envelope): ReadonlySet<string> {
  const installed = authorizations.map((each) =>
    each.is_enterprise_install ? (each.enterprise_id ?? enterpriseId) : each.team_id,
  );
  const named = installed.length > 0 ? installed : [teamId, enterpriseId];
  return new Set(named.filter((id) => typeof id === 'string'));
}
