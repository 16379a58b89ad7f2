import * as z from 'zod';
import { GatewayError } from '../../../base/errors.ts';
import { oneLine } from '../../../base/one-line.ts';
import { platformJson } from '../../../base/platform-json.ts';
import type { Pairings, PendingPairing } from '../../contract/pairing.ts';
import type { WebhookReply, WebhookStatus } from '../../contract/webhooks.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { PlatformHttp } from '../../kit/platform-http.ts';
import { failureOf, OcsClient } from '../ocs-client.ts';
import { AddonClient } from './addon-client.ts';
import { BOT_AVATAR } from './bot-avatar.ts';
import { namesServer } from './server-url.ts';
import { AddonCallback, type AddonCredentials } from './talk-credentials.ts';

/** Path below `/api/nctalk/` at which an addon posts credentials. */
export const CALLBACK_WEBHOOK = 'callback';
/** Anybody can post there. */
export const CALLBACK_LIMIT_BYTES = 16_384;

/** The addon waits 15 s for the answer. */
const VERIFICATION_MS = 8_000;
/** Of a URL that is not the right one. */
const MAX_SHOWN = 100;
const User = z.object({ id: z.string() });

export interface PairingCallbackDeps {
  readonly http: PlatformHttp;
  /** Null before `onPairings`. */
  readonly pairings: () => Pairings | null;
  /** Tells the operator of a pairing that failed. `reason` contains no secret. */
  readonly onRefused: (server: string, reason: string) => void;
  /** The same, of a bot that got no picture. */
  readonly onNoAvatar: (server: string, reason: string) => void;
}

/**
 * Takes the credentials that an addon posts once its person has agreed. The post is not signed: its state, which works once,
 * vouches for it, and the credentials are tried at the server that was agreed on, before anything is stored. After a refusal, the
 * addon deletes its bot and shows its person that it failed.
 */
export class PairingCallback {
  readonly #deps: PairingCallbackDeps;
  readonly #addons: AddonClient;

  constructor(deps: PairingCallbackDeps) {
    this.#deps = deps;
    this.#addons = new AddonClient(deps.http);
  }

  /** Handles a post at `CALLBACK_WEBHOOK`. Never rejects because of what it says, or because of its server. */
  async take(body: Uint8Array): Promise<WebhookReply> {
    const { data: callback } = AddonCallback.safeParse(platformJson(body));
    if (callback === undefined) return refusal(400, 'The credentials of the addon cannot be read');
    const pending = (await this.#deps.pairings()?.take(callback.state)) ?? null;
    if (pending === null)
      return refusal(403, 'This attempt to connect has expired, was used, or is void; start again');
    try {
      return { status: 200, json: { status: 'ok', connection_id: await this.#settle(pending, callback) } };
    } catch (error) {
      const reason = reasonOf(error);
      this.#deps.onRefused(pending.server, reason);
      return refusal(400, reason);
    }
  }

  async #settle(pending: PendingPairing, { serverUrl, credentials }: AddonCallback): Promise<string> {
    const { server } = pending;
    if (!namesServer(serverUrl, server))
      throw new GatewayError(
        'pairing_invalid',
        `The credentials are of another server than ${server}: ${oneLine(serverUrl, MAX_SHOWN)}`,
      );
    await this.#verify(server, credentials);
    const { owner } = credentials;
    const label = `${owner}@${new URL(server).host}`;
    const connectionId = await pending.settle({ label, personId: owner, credentials });
    void this.#setAvatar(server, credentials);
    return connectionId;
  }

  /** Best effort: Nextcloud shows initials otherwise. */
  async #setAvatar(server: string, { appId, apiSecret, botLogin }: AddonCredentials): Promise<void> {
    await this.#addons
      .setAvatar({ server, appId, apiSecret }, botLogin, BOT_AVATAR)
      .catch((error: unknown) => this.#deps.onNoAvatar(server, reasonOf(error)));
  }

  /** Rejects unless the bot can sign in at the server and its addon knows the secret. */
  async #verify(
    server: string,
    { appId, apiSecret, botLogin, botPassword }: AddonCredentials,
  ): Promise<void> {
    const bot = new OcsClient(this.#deps.http, { server, userId: botLogin, password: botPassword });
    const [{ data }] = await Promise.all([
      bot.ask({ method: 'GET', path: 'cloud/user', deadlineMs: VERIFICATION_MS }, User),
      this.#addons.signalingServer({ server, appId, apiSecret }, VERIFICATION_MS),
    ]);
    if (data.id !== botLogin)
      throw new PlatformFailure('refused', 'The server knows the bot by another name');
  }
}

function reasonOf(error: unknown): string {
  return error instanceof GatewayError ? error.message : failureOf(error).message;
}

function refusal(status: Exclude<WebhookStatus, 200>, text: string): WebhookReply {
  return { status, text };
}
