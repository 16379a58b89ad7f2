import type { Area, Handling, Visit } from '../http/area.ts';
import { PlainError } from '../http/nc-answer.ts';
import { matched } from '../http/path-parts.ts';
import { pageAnswer } from '../http/web-page.ts';
import type { HpbSettings } from '../signaling/hpb-settings.ts';
import { ADDON_ROUTES, runAddonRoute } from './addon-api.ts';
import type { AddonPages } from './addon-pages.ts';
import type { FakeAddon } from './fake-addon.ts';

/** Everything below `/apps/<the addon>/`. */
export class AddonArea implements Area {
  readonly #addon: FakeAddon;
  readonly #pages: AddonPages;
  readonly #hpb: HpbSettings;

  constructor(addon: FakeAddon, pages: AddonPages, hpb: HpbSettings) {
    this.#addon = addon;
    this.#pages = pages;
    this.#hpb = hpb;
  }

  handling({ request, session, scene }: Visit): Handling | null {
    const addon = this.#addon;
    const root = `/apps/${addon.appId}/`;
    if (!request.path.startsWith(root)) return null;
    // A disabled app has no routes.
    if (!addon.isEnabled) throw new PlainError(pageAnswer('Page not found', '', 404));
    const path = request.path.slice(root.length);
    if (!path.startsWith('api/')) {
      const answer = () =>
        this.#pages.answer(path, request, session) ?? pageAnswer('Page not found', '', 404);
      return { name: `addon.${path}`, run: answer };
    }
    const found = matched(ADDON_ROUTES, request.method, path);
    if (found === 'wrong method') throw new PlainError({ status: 405 }, true);
    if (found === 'no route' || (found.route.since && addon.version !== '3.0'))
      throw new PlainError(pageAnswer('Page not found', '', 404), true);
    const { route, parts } = found;
    const call = { ...scene, addon, request, parts, hpb: this.#hpb };
    return { name: route.name, run: () => runAddonRoute(route, call) };
  }
}
