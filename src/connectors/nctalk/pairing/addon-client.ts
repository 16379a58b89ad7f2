import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import type { OutboundFile } from '../../contract/messenger.ts';
import { Multipart } from '../../kit/multipart.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import { type HttpAnswer, type HttpRequest, type PlatformHttp, parsed } from '../../kit/platform-http.ts';
import { addonSignature } from './addon-signature.ts';
import type { AddonCredentials } from './talk-credentials.ts';

/** An addon at a Nextcloud. */
export interface Addon extends Pick<AddonCredentials, 'appId' | 'apiSecret'> {
  /** The Nextcloud's URL, without a trailing slash. */
  readonly server: string;
}

/** Talk's own settings of media, of which only that they are there is used: calls ask Talk itself. */
const Config = z.object({ hpb_url: field(z.string()) });
const Rooms = z.object({ authorized_rooms: z.union([z.record(z.string(), z.string()), z.tuple([])]) });
const Fault = z.object({ error: z.string() });

const DEADLINE_MS = 10_000;
const BUSY_MS = 5_000;

type AddonRequest = Omit<HttpRequest, 'url'> & {
  /** Below `/apps/<app id>/api/v1/`, with its parts encoded. */
  readonly path: string;
};

/**
 * The addon's own API, which answers whoever knows its secret. Its errors are `{"error": <text>}`. Everything here rejects with a
 * PlatformFailure; `isLoggedOut` says that the addon is gone, or has another secret.
 */
export class AddonClient {
  readonly #http: PlatformHttp;

  constructor(http: PlatformHttp) {
    this.#http = http;
  }

  /** Asks for the addon's configuration, which succeeds only with its secret. Returns the signaling server; '' for none. */
  async signalingServer(addon: Addon, deadlineMs = DEADLINE_MS): Promise<string> {
    const answer = await this.#ask(addon, { method: 'GET', path: 'config', deadlineMs });
    return parsed(Config, answer, 'The addon did not say how Talk is configured').hpb_url ?? '';
  }

  /** Returns the rooms in which a bot was activated, each with the user id of the owner who did. */
  async authorizedRooms(addon: Addon): Promise<Readonly<Record<string, string>>> {
    const answer = await this.#ask(addon, { method: 'GET', path: 'authorized-rooms' });
    const { authorized_rooms: rooms } = parsed(Rooms, answer, "The addon's rooms cannot be read");
    // PHP writes an empty object as an empty list.
    return Array.isArray(rooms) ? {} : rooms;
  }

  /** Replaces those of all owners: read them first, one change of a Nextcloud at a time. */
  async authorizeRooms(addon: Addon, rooms: Readonly<Record<string, string>>): Promise<void> {
    await this.#ask(addon, { method: 'PUT', path: 'authorized-rooms', json: { authorized_rooms: rooms } });
  }

  /** Removes a bot: its user, and the rooms that its owner has authorized. One that is gone already counts as removed. */
  async removeBot(addon: Addon, botLogin: string): Promise<void> {
    try {
      await this.#ask(addon, { method: 'DELETE', path: botPath(botLogin) });
    } catch (error) {
      if (!(error instanceof PlatformFailure) || error.code !== GONE) throw error;
    }
  }

  async setAvatar(addon: Addon, botLogin: string, picture: OutboundFile): Promise<void> {
    const upload = new Multipart({}, new Map([['avatar', picture]]));
    await this.#ask(addon, { method: 'POST', path: `${botPath(botLogin)}/avatar`, upload });
  }

  async #ask({ server, appId, apiSecret }: Addon, { path, ...request }: AddonRequest): Promise<unknown> {
    const answer = await this.#http.ask({
      deadlineMs: DEADLINE_MS,
      ...request,
      url: `${server}/apps/${appId}/api/v1/${path}`,
      headers: { accept: 'application/json', ...addonSignature(apiSecret) },
    });
    if (!answer.isOk) throw refusalIn(answer);
    return answer.json;
  }
}

/** The addon's own answer that there is no such user. */
const GONE = 'gone';

function botPath(botLogin: string): string {
  return `bot-users/${encodeURIComponent(botLogin)}`;
}

function refusalIn({ status, json, retryAfterMs }: HttpAnswer): PlatformFailure {
  const said = Fault.safeParse(json).data?.error;
  const words = said ?? `The addon answered with HTTP status ${status}`;
  if (status === 429 || status === 503)
    return new PlatformFailure('later', words, { status, afterMs: retryAfterMs || BUSY_MS });
  if (status >= 500) return new PlatformFailure('unclear', words, { status });
  if (status === 404 && said !== undefined)
    return new PlatformFailure('refused', words, { status, code: GONE });
  // An app that is switched off has no routes; one that was installed anew has another secret.
  const isLoggedOut = status === 401 || status === 403 || status === 404;
  return new PlatformFailure('refused', words, { status, isLoggedOut });
}

/** What the owner of a connection reads when the addon is switched off or removed. */
export function addonOffWords(server: string): string {
  return `The addon is switched off at ${new URL(server).host}; connect again`;
}
