import { jsonAnswer, type NcAnswer, PlainError } from '../http/nc-answer.ts';
import type { NcRequest } from '../http/nc-request.ts';
import type { PhpSession } from '../http/php-sessions.ts';
import { escaped, hidden, pageAnswer, redirect, wantsPage } from '../http/web-page.ts';
import type { FakeNcUser } from '../world/fake-nc-user.ts';
import type { NcWorld } from '../world/nc-world.ts';

const HOME = '/apps/dashboard/';

/** `/login`, where people log in with a browser. */
export class LoginPage {
  readonly #world: NcWorld;

  constructor(world: NcWorld) {
    this.#world = world;
  }

  answer(request: NcRequest, session: PhpSession): NcAnswer {
    const goal = ownPath(request.query.get('redirect_url'));
    if (request.method === 'GET') return session.user ? redirect(goal) : page(session, goal, '');
    const form = new URLSearchParams(request.body.toString('utf8'));
    checkRequestToken(form, session);
    const user = this.#world.users.get(form.get('user') ?? '');
    if (!user || user.isDisabled || user.password !== form.get('password'))
      return page(session, goal, 'Wrong login or password.');
    session.user = user;
    return redirect(goal);
  }
}

/** Throws what is answered to whoever has not logged in: the way to the page, or a refusal to programs. */
export function loggedIn(request: NcRequest, session: PhpSession): FakeNcUser {
  if (session.user && !session.user.isDisabled) return session.user;
  const query = request.query.size > 0 ? `?${request.query}` : '';
  throw new PlainError(
    wantsPage(request)
      ? redirect(`/login?redirect_url=${encodeURIComponent(`${request.path}${query}`)}`)
      : jsonAnswer(401, { message: 'Current user is not logged in' }),
  );
}

/** Throws for a form that no page of this session holds. */
export function checkRequestToken(form: URLSearchParams, { requestToken }: PhpSession): void {
  if (form.get('requesttoken') !== requestToken)
    throw new PlainError(jsonAnswer(412, { message: 'CSRF check failed' }));
}

function page({ requestToken }: PhpSession, goal: string, fault: string): NcAnswer {
  const action = `/login?redirect_url=${encodeURIComponent(goal)}`;
  return pageAnswer(
    'Log in',
    `${fault && `<p role="alert">${escaped(fault)}</p>`}
<form method="post" action="${escaped(action)}">
${hidden({ requesttoken: requestToken })}
<label>Account name<input name="user" autocomplete="username" required></label>
<label>Password<input name="password" type="password" autocomplete="current-password" required></label>
<button type="submit">Log in</button>
</form>`,
  );
}

/** Only paths of this Nextcloud are gone to. */
function ownPath(wanted: string | null): string {
  return wanted !== null && /^\/(?!\/)/.test(wanted) ? wanted : HOME;
}
