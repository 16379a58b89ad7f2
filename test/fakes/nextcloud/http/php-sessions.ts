import type { TalkSession } from '../world/attendee.ts';
import type { FakeNcUser } from '../world/fake-nc-user.ts';
import { newWord } from '../world/nc-ids.ts';
import type { NcRequest } from './nc-request.ts';

/** The cookie that holds a session, named after the installation. */
const SESSION_COOKIE = 'ocfake0instance';

/** What Nextcloud keeps for a browser, or a client that keeps cookies. */
export interface PhpSession {
  readonly id: string;
  /** Who has logged in by the page. */
  user: FakeNcUser | null;
  /** The page's protection against forged requests. */
  readonly requestToken: string;
  /** The conversations that were joined, by their tokens. */
  readonly joined: Map<string, TalkSession>;
}

export class PhpSessions {
  readonly #byId = new Map<string, PhpSession>();

  /** Returns the request's session, or a new one, with the cookies that it sets. */
  of({ cookies }: NcRequest): { readonly session: PhpSession; readonly setCookies: readonly string[] } {
    const known = this.#byId.get(cookies.get(SESSION_COOKIE) ?? '');
    if (known) return { session: known, setCookies: [] };
    const session: PhpSession = { id: newWord(26), user: null, requestToken: newWord(32), joined: new Map() };
    this.#byId.set(session.id, session);
    return {
      session,
      setCookies: [
        `${SESSION_COOKIE}=${session.id}; path=/; HttpOnly; SameSite=Lax`,
        'nc_sameSiteCookielax=true; path=/; httponly; SameSite=lax',
        'nc_sameSiteCookiestrict=true; path=/; httponly; SameSite=strict',
      ],
    };
  }

  /** Whether a request with a session lacks the cookie without which only OCS and pages answer. */
  lacksStrictCookie({ cookies }: NcRequest): boolean {
    return cookies.has(SESSION_COOKIE) && cookies.get('nc_sameSiteCookiestrict') !== 'true';
  }

  /** Logs a user out everywhere, as a deleted account is. */
  end(user: FakeNcUser): void {
    for (const session of this.#byId.values()) if (session.user === user) session.user = null;
  }
}
