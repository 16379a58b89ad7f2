import { GatewayError } from '../../../base/errors.ts';
import { KeyedQueue } from '../../../base/keyed-queue.ts';
import type { Connection, ConnectionTokens, ConnectsByOAuth } from '../../contract/oauth.ts';
import { LOGIN_OK } from '../../kit/login-check.ts';
import { connectionToken } from '../client.ts';
import { type LoginWorld, openLogin } from '../login/logins.ts';
import type { SlackLogin } from '../login/slack-login.ts';
import { type SharedApp, slackOAuth } from './slack-oauth.ts';

const TAKEN = 'Another account of this gateway has connected this workspace, or one of this organization';
/** Within this time after the start, Slack is asked whether it still accepts each workspace's token. */
const FIRST_CHECK_MS = 60_000;

/** The workspaces in which accounts have installed the shared app, each with a login. */
export class ConnectedWorkspaces {
  readonly oauth: ConnectsByOAuth;
  readonly #world: LoginWorld;
  readonly #signingSecret: string | null;
  /** What happens to a connection, in order. */
  readonly #queue = new KeyedQueue();
  /** Workspaces and organizations whose login is not ready for events yet, by connection. */
  readonly #expected = new Map<string, string>();
  #tokens: ConnectionTokens | null = null;
  #isClosed = false;

  /** `app` null: the operator has no shared app, so no connection is handed over. */
  constructor(world: LoginWorld, app: SharedApp | null) {
    this.#world = world;
    this.#signingSecret = app?.signingSecret ?? null;
    this.oauth = {
      ...slackOAuth(world.urls, app, world.clock),
      onConnections: (tokens) => {
        this.#tokens = tokens;
      },
      connected: (connection) => this.#connected(connection),
      disconnected: (id) => void this.#queue.run(id, () => this.#remove(id)),
    };
  }

  /** Whether events of these workspaces can be handled soon: Slack has to repeat them. */
  expects(places: ReadonlySet<string>): boolean {
    return [...this.#expected.values()].some((place) => places.has(place));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue.settled();
  }

  #connected({ id, providerUserId }: Connection): void {
    const { logins } = this.#world;
    const tokens = this.#tokens;
    if (tokens === null) return;
    if (!logins.get(id)?.identity) this.#expected.set(id, providerUserId);
    void this.#queue.run(id, async () => {
      if (this.#isClosed) return;
      const known = logins.get(id);
      const login = known ?? (await this.#open(id, tokens));
      if (login.identity !== null) this.#expected.delete(id);
      // Its tokens are new. At start those of all connections would be asked for at once.
      if (known !== undefined || login.identity === null) login.check();
      else login.checkWithin(FIRST_CHECK_MS);
    });
  }

  async #open(id: string, tokens: ConnectionTokens): Promise<SlackLogin> {
    return await openLogin(this.#world, {
      ref: { kind: 'connection', id },
      token: connectionToken(tokens, id),
      signingSecret: this.#signingSecret,
      taken: () => new GatewayError('connection_taken', TAKEN),
      onState: ({ status }) => {
        if (status === LOGIN_OK || status === TAKEN) this.#expected.delete(id);
        tokens.report(id, status);
      },
    });
  }

  async #remove(id: string): Promise<void> {
    this.#expected.delete(id);
    await this.#world.logins.removeBot(id);
  }
}
