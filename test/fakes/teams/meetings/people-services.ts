import type { IncomingMessage } from 'node:http';
import type { LoginVendor } from '../../logins/login-vendor.ts';
import type { FakeGraphMeetings } from './fake-graph-meetings.ts';

/** What Microsoft has for people at the same addresses as for bots: their sign-in, and the meetings that they organize. */
export class PeopleServices {
  readonly #login: LoginVendor;
  readonly #meetings: FakeGraphMeetings;

  constructor(login: LoginVendor, meetings: FakeGraphMeetings) {
    this.#login = login;
    this.#meetings = meetings;
  }

  /** Null: the request is one of bots. */
  async answer({ method, headers }: IncomingMessage, url: URL, body: string): Promise<Response | null> {
    const place = this.#placeOf(url.pathname);
    if (place === null) return null;
    const { authorization, 'content-type': type } = headers;
    return await fetch(`${place}${url.search}`, {
      method: method!,
      redirect: 'manual',
      headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
      ...(body !== '' && { body }),
    });
  }

  #placeOf(path: string): string | null {
    if (path.startsWith('/organizations/')) return `${this.#login.url}${path}`;
    return path.startsWith('/graph/v1.0/me/') ? `${this.#meetings.url}${path.slice('/graph'.length)}` : null;
  }
}
