import type { FakeNextcloud } from '../../../fakes/nextcloud/fake-nextcloud.ts';
import type { FakeNcUser } from '../../../fakes/nextcloud/world/fake-nc-user.ts';

export interface OcsReply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a server answers
  readonly data: any;
  readonly meta: { readonly status: string; readonly statuscode: number; readonly message: string };
  readonly headers: Headers;
}

/** A client of OCS for one user, by nothing but fetch. */
export class OcsPerson {
  readonly #url: string;
  readonly #user: FakeNcUser;
  readonly #password: string;
  readonly #cookies = new Map<string, string>();

  constructor({ url }: FakeNextcloud, user: FakeNcUser) {
    this.#url = url;
    this.#user = user;
    this.#password = user.addAppPassword();
  }

  get authorization(): string {
    return `Basic ${Buffer.from(`${this.#user.uid}:${this.#password}`).toString('base64')}`;
  }

  /** `path`: below `/ocs/v2.php/apps/spreed/`. */
  async ask(method: string, path: string, body?: object): Promise<OcsReply> {
    const response = await fetch(`${this.#url}/ocs/v2.php/apps/spreed/${path}`, {
      method,
      headers: {
        Authorization: this.authorization,
        'OCS-APIRequest': 'true',
        Cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';')[0]!.split('=');
      this.#cookies.set(name, value);
    }
    const text = await response.text();
    const { ocs } = text === '' ? { ocs: { data: null, meta: null } } : JSON.parse(text);
    return { status: response.status, data: ocs.data, meta: ocs.meta, headers: response.headers };
  }
}
