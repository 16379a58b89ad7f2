/** A browser without pages: it keeps cookies by host and path, and goes where it is sent. */
export class CookieBrowser {
  readonly #cookies = new Map<
    string,
    { readonly host: string; readonly path: string; readonly value: string }
  >();

  /** One request; nothing is followed. */
  async get(url: string | URL, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const at = new URL(url);
    const cookie = this.#cookiesFor(at);
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { ...headers, ...(cookie === '' ? {} : { cookie }) },
    });
    for (const line of response.headers.getSetCookie()) this.#keep(at, line);
    return response;
  }

  /** Follows redirects until `stop` holds for the next address, which is returned unvisited. */
  async goUntil(url: string | URL, stop: (next: URL) => boolean): Promise<URL> {
    let at = new URL(url);
    for (let steps = 0; steps < 10; steps++) {
      const response = await this.get(at);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${at} answers ${response.status}: ${await response.text()}`);
      at = new URL(location, at);
      if (stop(at)) return at;
    }
    throw new Error(`sent round in circles, now to ${at}`);
  }

  /** The value of a cookie, whatever its path; null without it. */
  cookie(name: string): string | null {
    for (const [key, { value }] of this.#cookies) if (key.startsWith(`${name}|`)) return value;
    return null;
  }

  setCookie(url: string, line: string): void {
    this.#keep(new URL(url), line);
  }

  #keep(at: URL, line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const equals = pair.indexOf('=');
    const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)];
    const path = attributes.find((part) => /^path=/i.test(part))?.slice(5) ?? '/';
    const isOver = attributes.some((part) => /^(max-age=0|expires=Thu, 01 Jan 1970)/i.test(part));
    const key = `${name}|${at.host}|${path}`;
    if (isOver) this.#cookies.delete(key);
    else this.#cookies.set(key, { host: at.host, path, value });
  }

  #cookiesFor(at: URL): string {
    return [...this.#cookies]
      .filter(([, { host, path }]) => host === at.host && at.pathname.startsWith(path))
      .map(([key, { value }]) => `${key.split('|', 1)[0]}=${value}`)
      .join('; ');
  }
}
