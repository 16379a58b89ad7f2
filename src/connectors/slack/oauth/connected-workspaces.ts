import { GatewayError } from '../../../base/errors.ts';
import { KeyedQueue } from '../../../base/keyed-queue.ts';
import type { Connection, ConnectionTokens } from '../../contract/oauth.ts';
import { type LoginWorld, openLogin } from '../login/open-login.ts';
import { OK, type SlackLogin } from '../login/slack-login.ts';
import { connectionToken } from '../web-api/access-token.ts';
import type { Workspaces } from './slack-oauth.ts';

const TAKEN = 'Another account of this gateway has connected this workspace, or one of this organization';
/** Within this time after the start, Slack is asked whether it still accepts each workspace's token. */
const FIRST_CHECK_MS = 60_000;

/** The workspaces in which accounts have installed the shared app, each with a login. */
export class ConnectedWorkspaces implements Workspaces {
  readonly #world: LoginWorld;
  readonly #signingSecret: string | null;
  /** What happens to a connection, in order. */
  readonly #queue = new KeyedQueue();
  /** Workspaces and organizations whose login is not ready for events yet, by connection. */
  readonly #expected = new Map<string, string>();
  #isClosed = false;

  /** `signingSecret` null: the operator has no shared app, so no connection is handed over. */
  constructor(world: LoginWorld, signingSecret: string | null) {
    this.#world = world;
    this.#signingSecret = signingSecret;
  }

  connected({ id, providerUserId }: Connection, tokens: ConnectionTokens): void {
    const { logins } = this.#world;
    if (!logins.get(id)?.identity) this.#expected.set(id, providerUserId);
    void this.#queue.run(id, async () => {
      if (this.#isClosed) return;
      const known = logins.get(id);
      const login = known ?? (await this.#open(id, tokens));
      if (login.identity !== null) this.#expected.delete(id);
      // Its tokens are new. At start those of all connections would be asked for at once.
      if (known !== null || login.identity === null) login.check();
      else login.checkWithin(FIRST_CHECK_MS);
    });
  }

  disconnected(id: string): void {
    void this.#queue.run(id, () => this.#remove(id));
  }

  /** Whether events of these workspaces can be handled soon: Slack has to repeat them. */
  expects(places: ReadonlySet<string>): boolean {
    return [...this.#expected.values()].some((place) => places.has(place));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue.settled();
  }

  async #open(id: string, tokens: ConnectionTokens): Promise<SlackLogin> {
    return await openLogin(this.#world, {
      ref: { kind: 'connection', id },
      token: connectionToken(tokens, id),
      signingSecret: this.#signingSecret,
      taken: () => new GatewayError('connection_taken', TAKEN),
      onState: ({ status }) => {
        if (status === OK || status === TAKEN) this.#expected.delete(id);
        tokens.report(id, status);
      },
    });
  }

  async #remove(id: string): Promise<void> {
    this.#expected.delete(id);
    await this.#world.logins.remove(id)?.close();
  }
}
