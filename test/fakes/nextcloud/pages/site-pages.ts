import type { Area, Handling, Visit } from '../http/area.ts';
import { jsonAnswer } from '../http/nc-answer.ts';
import { pageAnswer } from '../http/web-page.ts';
import { type LoginPage, loggedIn } from './login-page.ts';

const VERSION = '31.0.5';

/** Pages around the apps. */
export class SitePages implements Area {
  readonly #login: LoginPage;

  constructor(login: LoginPage) {
    this.#login = login;
  }

  handling({ request, session }: Visit): Handling | null {
    switch (request.path) {
      case '/login':
        return { name: 'login', run: () => this.#login.answer(request, session) };
      case '/status.php':
        return { name: 'status', run: () => jsonAnswer(200, STATUS) };
      case '/':
      case '/apps/dashboard/':
        return {
          name: 'dashboard',
          run: () => pageAnswer('Dashboard', `<p>${loggedIn(request, session).uid}</p>`),
        };
      case '/settings/admin/talk': {
        const said = request.query.has('connected')
          ? 'Connected.'
          : `Not connected: ${request.query.get('error')}`;
        return { name: 'settings', run: () => pageAnswer('Talk', `<p>${said}</p>`) };
      }
      // Asked for by browsers themselves.
      case '/favicon.ico':
        return { name: 'favicon', run: () => jsonAnswer(404, {}) };
      default:
        return null;
    }
  }
}

const STATUS = {
  installed: true,
  maintenance: false,
  needsDbUpgrade: false,
  version: `${VERSION}.1`,
  versionstring: VERSION,
  edition: '',
  productname: 'Nextcloud',
  extendedSupport: false,
};
