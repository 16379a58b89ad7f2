import { GatewayError } from '../../../base/errors.ts';
import { platformJson } from '../../../base/platform-json.ts';
import type {
  AskedPairing,
  ConnectsByPairing,
  PairedConnection,
  PairingAnswer,
  Pairings,
} from '../../contract/pairing.ts';
import type { WebhookReply, WebhookRequest } from '../../contract/webhooks.ts';
import type { PlatformHttp } from '../../kit/platform-http.ts';
import { failureOf } from '../ocs-client.ts';
import { AddonClient, addonOffWords } from './addon-client.ts';
import { isSignedByAddon, type ReplayMemory } from './addon-signature.ts';
import { CALLBACK_WEBHOOK, PairingCallback } from './pairing-callback.ts';
import { namesServer, readServerUrl, type ServerRules, type ServerUrl } from './server-url.ts';
import { TALK_BOTS } from './talk-bots.ts';
import { type AddonCredentials, AddonDisabled, TalkCredentials } from './talk-credentials.ts';

/** A connection to a Nextcloud. */
export interface TalkConnection extends Omit<PairedConnection, 'credentials' | 'personId'> {
  readonly credentials: TalkCredentials;
}

/** Who works with the connections. */
export interface TalkLogins {
  /** A connection is new, was renewed with other credentials, or is there at start. */
  connected(connection: TalkConnection): void;
  disconnected(connectionId: string): void;
  /** The addon has forgotten the rooms of this connection's owner, because their former bot was removed. */
  roomsForgotten(connectionId: string): void;
  /** The addon says that it is switched off, or removed: the bot is gone with it. `words`: for the owner. */
  addonOff(connectionId: string, words: string): void;
}

export interface TalkPairingDeps {
  readonly http: PlatformHttp;
  readonly rules: ServerRules;
  readonly logins: TalkLogins;
  readonly replays: ReplayMemory;
  /** Tells the operator of a failure. `reason` contains no secret. */
  readonly onFailure: (what: string, server: string, reason: string) => void;
}

/** Path below `/api/nctalk/` at which an addon says that it is switched off. */
export const DISABLED_WEBHOOK = 'addon-disabled';

const NC_STATE = /^[\w-]{16,128}$/;
/** Where the addon sends its person afterwards: to its own settings, or to the dashboard of the gateway. */
const ORIGINS: ReadonlySet<string> = new Set(['nc_admin', 'dashboard']);

type Known = TalkConnection & { readonly credentials: AddonCredentials };

/** Pairs Nextclouds with accounts, by their addon or by bots that an administrator installs. */
export class TalkPairing implements ConnectsByPairing {
  readonly installed = TALK_BOTS;
  readonly callback: PairingCallback;
  readonly #deps: TalkPairingDeps;
  readonly #addons: AddonClient;
  readonly #connections = new Map<string, TalkConnection>();
  #pairings: Pairings | null = null;

  constructor(deps: TalkPairingDeps) {
    this.#deps = deps;
    this.#addons = new AddonClient(deps.http);
    this.callback = new PairingCallback({
      http: deps.http,
      pairings: () => this.#pairings,
      onRefused: (server, reason) => deps.onFailure('a Nextcloud could not be paired', server, reason),
      onNoAvatar: (server, reason) => deps.onFailure('a bot got no picture', server, reason),
    });
  }

  /** Reports the status of connections; null before `onPairings`. */
  get pairings(): Pairings | null {
    return this.#pairings;
  }

  onPairings(pairings: Pairings): void {
    this.#pairings = pairings;
  }

  asked({
    nc_state: state = '',
    nc_url: url = '',
    origin = 'nc_admin',
  }: Readonly<Record<string, string>>): AskedPairing {
    if (!NC_STATE.test(state) || url === '' || !ORIGINS.has(origin))
      throw new GatewayError('pairing_invalid');
    const asking = readServerUrl(url, this.#deps.rules);
    return pairingAt(asking, 'authorize/finish', () => ({ nc_state: state, origin }));
  }

  wanted(serverUrl: string): AskedPairing {
    const server = readServerUrl(serverUrl, this.#deps.rules);
    // Shown to the person who is asked there.
    return pairingAt(server, 'authorize', ({ owner }) => ({ agent_name: `The agents of ${owner}` }));
  }

  connected(connection: PairedConnection): void {
    const { data: credentials, error } = TalkCredentials.safeParse(connection.credentials);
    if (credentials === undefined) throw new Error(`unknown credentials: ${error.issues[0]?.path.join('.')}`);
    const { id, accountId, server, label } = connection;
    const former = this.#connections.get(id);
    const now = { id, accountId, server, label, credentials };
    this.#connections.set(id, now);
    this.#deps.logins.connected(now);
    if (former && isPaired(former) && botOf(former) !== botOf(now)) this.#removeBot(former);
  }

  disconnected({ id }: PairedConnection): void {
    const former = this.#connections.get(id);
    this.#connections.delete(id);
    this.#deps.logins.disconnected(id);
    if (former && isPaired(former)) this.#removeBot(former);
  }

  /** Handles a post at `DISABLED_WEBHOOK`: an addon is switched off or removed, with its bots. */
  addonDisabled({ body, header }: Pick<WebhookRequest, 'body' | 'header'>): WebhookReply {
    const { data: notice } = AddonDisabled.safeParse(platformJson(body));
    if (notice === undefined) return { status: 400, text: 'The notice cannot be read' };
    const { app_id: appId, nc_url: url } = notice;
    const concerned = [...this.#connections.values()].filter(
      (each): each is Known =>
        isPaired(each) &&
        each.credentials.appId === appId &&
        namesServer(url, each.server) &&
        isSignedByAddon(each.credentials.apiSecret, header),
    );
    const [first] = concerned;
    if (first === undefined)
      return { status: 401, text: 'The notice is not signed by an addon that was paired' };
    if (!this.#deps.replays.isFirst(first.credentials.apiSecret, header)) return { status: 200, json: {} };
    for (const { id, server } of concerned) this.#deps.logins.addonOff(id, addonOffWords(server));
    return { status: 200, json: {} };
  }

  /** Best effort: a bot that stays can do nothing without the gateway. */
  #removeBot({ id, server, credentials }: Known): void {
    const { appId, apiSecret, botLogin } = credentials;
    this.#addons.removeBot({ server, appId, apiSecret }, botLogin).then(
      () => {
        if (this.#connections.has(id)) this.#deps.logins.roomsForgotten(id);
      },
      (error: unknown) =>
        this.#deps.onFailure('a bot could not be removed', server, failureOf(error).message),
    );
  }
}

function isPaired(connection: TalkConnection): connection is Known {
  return connection.credentials.kind === 'addon';
}

function botOf({ credentials }: TalkConnection): string | null {
  return credentials.kind === 'addon' ? credentials.botLogin : null;
}

function pairingAt(
  { server, host, appId }: ServerUrl,
  page: string,
  parametersOf: (answer: PairingAnswer) => Readonly<Record<string, string>>,
): AskedPairing {
  return {
    server,
    host,
    agreed: (answer) => {
      const { state, gatewayUrl } = answer;
      const url = new URL(`${server}/apps/${appId}/${page}`);
      // The addon requires that both URLs have the same scheme and host.
      const urls = { callback_url: `${gatewayUrl}/api/nctalk/${CALLBACK_WEBHOOK}`, backend_url: gatewayUrl };
      for (const [name, value] of Object.entries({ state, ...urls, ...parametersOf(answer) }))
        url.searchParams.set(name, value);
      return url.href;
    },
  };
}
