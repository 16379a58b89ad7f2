import type { LoginGuard } from './login-guard.ts';
import { jsonAnswer, type NcAnswer, OcsError, ocsAnswer, PlainError } from './nc-answer.ts';
import { headerOf, type NcRequest } from './nc-request.ts';
import type { NcScene, OcsCall, OcsRoute } from './ocs-route.ts';
import { parametersOf } from './parameters.ts';
import type { PhpSession } from './php-sessions.ts';

const NO_ROUTE =
  'Invalid query, please check the syntax. API specifications are here: http://www.freedesktop.org/wiki/Specifications/open-collaboration-services.';

export interface FoundRoute {
  readonly route: OcsRoute;
  readonly parts: readonly string[];
}

/** Everything below `/ocs/v2.php/`. */
export class OcsApi {
  readonly #routes: readonly OcsRoute[];
  readonly #guard: LoginGuard;

  constructor(routes: readonly OcsRoute[], guard: LoginGuard) {
    this.#routes = routes;
    this.#guard = guard;
  }

  /** Throws OcsError or PlainError. */
  find({ method, path }: Pick<NcRequest, 'method' | 'path'>): FoundRoute {
    const given = path.replace(/^\/ocs\/v2\.php\//, '').split('/');
    const matches = this.#routes.flatMap((route) => {
      const parts = partsOf(route.path, given);
      return parts ? [{ route, parts }] : [];
    });
    // What is named counts before what stands for something.
    const fewest = Math.min(...matches.map(({ parts }) => parts.length));
    const nearest = matches.filter(({ parts }) => parts.length === fewest);
    if (nearest.length === 0) throw new OcsError(404, { code: 998, message: NO_ROUTE, isMistake: true });
    const found = nearest.find(({ route }) => route.method === method);
    if (!found) throw new PlainError({ status: 405 }, true);
    return found;
  }

  async run(
    { route, parts }: FoundRoute,
    { request, session, scene }: { request: NcRequest; session: PhpSession; scene: NcScene },
  ): Promise<NcAnswer> {
    if (headerOf(request, 'ocs-apirequest') !== 'true')
      throw new PlainError(jsonAnswer(412, { message: 'CSRF check failed' }), true);
    const user = this.#guard.userOf(request, session);
    if (!user && !route.isPublic)
      throw new OcsError(401, { code: 997, message: 'Current user is not logged in' });
    const call = { ...scene, request, session, user, parts, params: parametersOf(request, route.params) };
    const { status, data, headers } = await route.handle(call as OcsCall<never>);
    return ocsAnswer(status, data, { headers });
  }
}

function partsOf(pattern: string, given: readonly string[]): string[] | null {
  const expected = pattern.split('/');
  if (expected.length !== given.length) return null;
  const isMatch = expected.every((part, index) => part === ':' || part === given[index]);
  return isMatch ? given.filter((_part, index) => expected[index] === ':').map(decodeURIComponent) : null;
}
