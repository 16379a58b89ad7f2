import { HostedLogins } from '../../kit/hosted-logins.ts';
import type { Envelope } from '../events/event-payload.ts';
import { installedIn } from '../slack-records.ts';
import { type NewLogin, SlackLogin, type SlackLoginDeps } from './slack-login.ts';

/** The id of a workspace or an organization. */
const PLACE = /\b[TE][A-Z0-9]{1,39}\b/g;

/** What all logins have in common. */
export interface LoginWorld extends SlackLoginDeps {
  readonly logins: Logins;
}

/** The logins by their keys, and by where their apps are installed. */
export class Logins extends HostedLogins<SlackLogin> {
  /** Ids of workspaces and organizations, each with the keys of its logins. */
  readonly #byPlace = new Map<string, Set<string>>();
  readonly #places = new Map<string, string>();

  override put(key: string, login: SlackLogin): void {
    super.put(key, login);
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

  override async removeBot(key: string): Promise<void> {
    this.#leave(key);
    await super.removeBot(key);
  }

  /** Returns the logins in the workspace or organization for which an event is meant. */
  at(envelope: Envelope): readonly SlackLogin[] {
    return this.#in(placesOf(envelope));
  }

  /** Returns the logins in the workspaces and organizations whose ids are in a text. */
  namedIn(text: string): readonly SlackLogin[] {
    return this.#in(new Set(text.match(PLACE)));
  }

  #in(places: ReadonlySet<string>): readonly SlackLogin[] {
    const keys = [...places].flatMap((place) => [...(this.#byPlace.get(place) ?? [])]);
    return [...new Set(keys)].flatMap((key) => this.get(key) ?? []);
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

/** Adds a login to the others. It hears events at once where it was, and can send. */
export async function openLogin(world: LoginWorld, wanted: NewLogin): Promise<SlackLogin> {
  const { records, logins } = world;
  const login = new SlackLogin(world, wanted, await records.identity(wanted.ref.id));
  logins.put(login.key, login);
  return login;
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
