import type { FakeNcUser } from '../world/fake-nc-user.ts';
import type { NcWorld } from '../world/nc-world.ts';
import { OcsError } from './nc-answer.ts';
import { basicOf, type NcRequest } from './nc-request.ts';
import type { PhpSession } from './php-sessions.ts';

/** Tells who makes a request, and throttles those who try passwords. */
export class LoginGuard {
  /** After so many wrong passwords everyone at that address is refused; Nextcloud slows them down before. */
  mostFailures = 10;
  failures = 0;
  readonly #world: NcWorld;

  constructor(world: NcWorld) {
    this.#world = world;
  }

  /** Null: nobody. Throws OcsError 429. */
  userOf(request: NcRequest, session: PhpSession): FakeNcUser | null {
    const basic = basicOf(request);
    if (!basic) return session.user;
    if (this.failures >= this.mostFailures) throw new OcsError(429, { message: 'Reached maximum delay' });
    const user = this.#world.users.get(basic.login);
    if (user?.hasPassword(basic.password)) {
      this.failures = 0;
      return user;
    }
    this.failures += 1;
    return null;
  }
}
