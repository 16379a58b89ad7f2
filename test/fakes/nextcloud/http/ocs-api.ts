import type { Area, Handling, Visit } from './area.ts';
import type { LoginGuard } from './login-guard.ts';
import { jsonAnswer, type NcAnswer, OcsError, ocsAnswer, PlainError } from './nc-answer.ts';
import { headerOf, type NcRequest } from './nc-request.ts';
import type { OcsCall, OcsRoute } from './ocs-route.ts';
import { parametersOf } from './parameters.ts';
import { type Match, matched } from './path-parts.ts';

const ROOT = '/ocs/v2.php/';
const NO_ROUTE =
  'Invalid query, please check the syntax. API specifications are here: http://www.freedesktop.org/wiki/Specifications/open-collaboration-services.';

/** Everything below `/ocs/v2.php/`. */
export class OcsApi implements Area {
  readonly #routes: readonly OcsRoute[];
  readonly #guard: LoginGuard;

  constructor(routes: readonly OcsRoute[], guard: LoginGuard) {
    this.#routes = routes;
    this.#guard = guard;
  }

  handling(visit: Visit): Handling | null {
    const { method, path } = visit.request;
    if (!path.startsWith(ROOT)) return null;
    const found = matched(this.#routes, method, path.slice(ROOT.length));
    if (found === 'no route') throw new OcsError(404, { code: 998, message: NO_ROUTE, isMistake: true });
    if (found === 'wrong method') throw new PlainError({ status: 405 }, true);
    return { name: nameOf(found.route, visit.request), run: () => this.#run(found, visit) };
  }

  async #run({ route, parts }: Match<OcsRoute>, { request, session, scene }: Visit): Promise<NcAnswer> {
    if (headerOf(request, 'ocs-apirequest') !== 'true')
      throw new PlainError(jsonAnswer(412, { message: 'CSRF check failed' }), true);
    const user = this.#guard.userOf(request, session);
    if (!user && !route.isPublic)
      throw new OcsError(401, { code: 997, message: 'Current user is not logged in' });
    const call = { ...scene, request, session, user, parts, params: parametersOf(request, route.params) };
    const { status, data, headers = {} } = await route.handle(call as OcsCall<never>);
    return ocsAnswer(status, data, { headers });
  }
}

/** A request that waits for news has a name of its own. */
function nameOf({ name }: OcsRoute, { query }: NcRequest): string {
  return Number(query.get('timeout') ?? 0) > 0 ? `${name} waiting` : name;
}
