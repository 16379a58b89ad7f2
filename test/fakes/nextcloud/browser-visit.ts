import type { FakeNextcloud } from './fake-nextcloud.ts';
import type { FakeNcUser } from './world/fake-nc-user.ts';

/** A browser in which a user has logged in to the Nextcloud, by HTTP only. */
export class BrowserVisit {
  readonly #nextcloud: Pick<FakeNextcloud, 'url'>;
  readonly #cookies = new Map<string, string>();

  constructor(nextcloud: Pick<FakeNextcloud, 'url'>) {
    this.#nextcloud = nextcloud;
  }

  /** Logs in by the page. */
  async logIn({ uid, password }: Pick<FakeNcUser, 'uid' | 'password'>): Promise<void> {
    const page = await this.get('/login');
    const requesttoken = /name="requesttoken" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    await this.post('/login', { requesttoken, user: uid, password });
  }

  get(path: string): Promise<Response> {
    return this.#ask(path, { method: 'GET' });
  }

  post(path: string, form: Readonly<Record<string, string>>): Promise<Response> {
    return this.#ask(path, { method: 'POST', body: new URLSearchParams(form) });
  }

  /** Does not follow where it is sent. */
  async #ask(path: string, init: RequestInit): Promise<Response> {
    const response = await fetch(new URL(path, this.#nextcloud.url), {
      ...init,
      redirect: 'manual',
      headers: {
        Accept: 'text/html',
        Cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      this.#cookies.set(name, value);
    }
    return response;
  }
}

/**
 * Pairs from the Nextcloud's side. `agree`: what its administrator does at the gateway's page; returns where the gateway
 * sends the browser. Returns where the addon sends it in the end.
 */
export async function pair(
  nextcloud: FakeNextcloud,
  {
    admin,
    origin = 'nc_admin',
    agree,
  }: {
    readonly admin: FakeNcUser;
    readonly origin?: 'dashboard' | 'nc_admin';
    agree(page: URL): Promise<string>;
  },
): Promise<URL> {
  const browser = new BrowserVisit(nextcloud);
  await browser.logIn(admin);
  const started = await browser.get(`/apps/${nextcloud.addon.appId}/connect-start?origin=${origin}`);
  const finish = await agree(new URL(goal(started)));
  return new URL(goal(await browser.get(finish)));
}

function goal(response: Response): string {
  const location = response.headers.get('location');
  if (location === null)
    throw new Error(`${response.url} answered with ${response.status}, and sends nowhere`);
  return location;
}
