import type { Envelope } from '../events/event-payload.ts';
import type { SlackLogin } from './slack-login.ts';

/** A login with the secret with which its app's events are signed. */
export interface SignedLogin {
  readonly login: SlackLogin;
  /** Null: no request can be verified. */
  readonly signingSecret: string | null;
}

/** The logins by their keys. */
export class Logins {
  readonly #byKey = new Map<string, SignedLogin>();

  add(key: string, login: SignedLogin): void {
    this.#byKey.set(key, login);
  }

  /** Removes a login if it is still this one. */
  remove(key: string): SlackLogin | null {
    const { login } = this.#byKey.get(key) ?? {};
    this.#byKey.delete(key);
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
    const places = placesOf(envelope);
    return this.all.filter(({ login: { identity } }) => {
      if (identity === null) return false;
      return (
        places.has(identity.teamId) || (identity.enterpriseId !== null && places.has(identity.enterpriseId))
      );
    });
  }
}

/** Where the app is installed. In channels shared with others, the event's own workspace may be another one. */
function placesOf({
  authorizations,
  team_id: teamId,
  enterprise_id: enterpriseId,
}: Envelope): ReadonlySet<string> {
  const installed = authorizations.map((each) =>
    each.is_enterprise_install ? each.enterprise_id : each.team_id,
  );
  const named = installed.length > 0 ? installed : [teamId, enterpriseId];
  return new Set(named.filter((id) => typeof id === 'string'));
}
