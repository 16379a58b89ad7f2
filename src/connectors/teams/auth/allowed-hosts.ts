/** Hosts to which something may be sent. */
export class AllowedHosts {
  readonly #hosts: readonly string[];
  readonly #origin: string | null;

  /** `hosts`: names, `*.` for all below one; by https only. `url`: an address of the operator's, by any protocol. */
  constructor(hosts: readonly string[], url: string | null) {
    this.#hosts = hosts;
    this.#origin = url === null ? null : new URL(url).origin;
  }

  allows(href: string): boolean {
    if (!URL.canParse(href)) return false;
    const { protocol, hostname, port, origin, username, password } = new URL(href);
    if (username !== '' || password !== '') return false;
    if (origin === this.#origin) return true;
    return protocol === 'https:' && port === '' && this.#hosts.some((host) => isWithin(hostname, host));
  }
}

function isWithin(hostname: string, host: string): boolean {
  return host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host;
}
