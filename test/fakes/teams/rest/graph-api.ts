import * as z from 'zod';
import type { FakeWorld } from '../world/fake-world.ts';
import { offence, TeamsError } from './teams-error.ts';

const Installation = z.strictObject({ 'teamsApp@odata.bind': z.string() });

/** What Graph does for apps of Teams: the tenant's catalog, and installing for a person. */
export class GraphApi {
  readonly #world: FakeWorld;
  /** The app's id in every tenant's catalog; null: the tenants have not added it. */
  readonly #catalogId: () => string | null;
  readonly #root: () => string;

  constructor(world: FakeWorld, catalogId: () => string | null, root: () => string) {
    this.#world = world;
    this.#catalogId = catalogId;
    this.#root = root;
  }

  run(method: string, url: URL, body: unknown, tenantId: string): { status: number; body: unknown } {
    if (!this.#world.bot.installsIn.has(tenantId))
      throw new TeamsError(
        403,
        'Forbidden',
        "Missing role permissions on the request. API requires one of 'TeamsAppInstallation.ReadWriteSelfForUser.All'.",
      );
    const path = url.pathname.replace(/^\/graph\/v1\.0/, '');
    if (method === 'GET' && path === '/appCatalogs/teamsApps')
      return { status: 200, body: this.#catalog(url) };
    const [, user] = /^\/users\/([^/]+)\/teamwork\/installedApps$/.exec(path) ?? [];
    if (method === 'POST' && user !== undefined) return this.#install(user, body, tenantId);
    throw new TeamsError(404, 'UnknownError', `There is no ${method} ${path}`, true);
  }

  #catalog(url: URL): object {
    const wanted = /^externalId eq '([\w-]+)'$/.exec(url.searchParams.get('$filter') ?? '')?.[1];
    if (wanted === undefined) throw offence('Invalid filter clause', 'BadRequest');
    const id = this.#catalogId();
    const isThere = id !== null && wanted === this.#world.bot.appId;
    return { value: isThere ? [{ id, externalId: wanted, displayName: 'Agent' }] : [] };
  }

  #install(userId: string, body: unknown, tenantId: string): { status: number; body: unknown } {
    const { data } = Installation.safeParse(body);
    if (!data || data['teamsApp@odata.bind'] !== `${this.#root()}/appCatalogs/teamsApps/${this.#catalogId()}`)
      throw offence('Invalid app specified in the request', 'BadRequest');
    const user = this.#world.users.find((each) => each.objectId === userId && each.tenantId === tenantId);
    if (!user) throw new TeamsError(404, 'NotFound', 'User not found');
    if (this.#world.installed.has(user)) throw new TeamsError(409, 'Conflict', 'App is already installed');
    this.#world.installed.add(user);
    return { status: 201, body: {} };
  }
}
