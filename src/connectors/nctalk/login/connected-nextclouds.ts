import { KeyedQueue } from '../../../base/keyed-queue.ts';
import type { TalkConnection, TalkLogins } from '../pairing/talk-pairing.ts';
import { BotLogin } from './bot-login.ts';
import { TalkBotLogin } from './talk-bot-login.ts';
import type { TalkWorld } from './talk-world.ts';

export type TalkLogin = BotLogin | TalkBotLogin;

/** The logins of all connections to Nextclouds. */
export class ConnectedNextclouds implements TalkLogins {
  readonly #world: TalkWorld;
  readonly #byId = new Map<string, TalkLogin>();
  /** Of an addon's secret, which all bots of its Nextcloud have in common, the ids of the connections. */
  readonly #bySecret = new Map<string, Set<string>>();
  /** What happens to a connection, in order. */
  readonly #queue = new KeyedQueue();
  #isClosed = false;

  constructor(world: TalkWorld) {
    this.#world = world;
  }

  get(id: string): TalkLogin | undefined {
    return this.#byId.get(id);
  }

  /** The secrets of all addons. */
  get secrets(): Iterable<string> {
    return this.#bySecret.keys();
  }

  /** The bots of the Nextclouds with this secret. */
  withSecret(secret: string): BotLogin[] {
    return [...(this.#bySecret.get(secret) ?? [])].flatMap((id) => {
      const login = this.#byId.get(id);
      return login?.kind === 'bot' ? [login] : [];
    });
  }

  connected(connection: TalkConnection): void {
    void this.#queue.run(connection.id, async () => {
      await this.#remove(connection.id);
      if (this.#isClosed) return;
      this.#add(connection).follow();
    });
  }

  disconnected(connectionId: string): void {
    void this.#queue.run(connectionId, async () => await this.#remove(connectionId));
  }

  roomsForgotten(connectionId: string): void {
    void this.#queue.run(connectionId, async () => {
      const login = this.#byId.get(connectionId);
      if (login?.kind === 'bot') await login.forgottenByAddon();
    });
  }

  addonOff(connectionId: string, words: string): void {
    void this.#queue.run(connectionId, async () => {
      const login = this.#byId.get(connectionId);
      if (login?.kind === 'bot') login.isDown(words);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue.settled();
    await Promise.all([...this.#byId.values()].map((login) => login.close()));
  }

  #add(connection: TalkConnection): TalkLogin {
    const { id, credentials } = connection;
    const login =
      credentials.kind === 'addon'
        ? new BotLogin(this.#world, connection, credentials)
        : new TalkBotLogin(this.#world, connection, credentials.secret);
    this.#byId.set(id, login);
    if (credentials.kind === 'addon') {
      const ids = this.#bySecret.get(credentials.apiSecret) ?? new Set();
      this.#bySecret.set(credentials.apiSecret, ids.add(id));
    }
    return login;
  }

  async #remove(id: string): Promise<void> {
    const login = this.#byId.get(id);
    this.#byId.delete(id);
    if (login?.kind === 'bot') {
      const { apiSecret } = login.credentials;
      const ids = this.#bySecret.get(apiSecret);
      ids?.delete(id);
      if (ids?.size === 0) this.#bySecret.delete(apiSecret);
    }
    await login?.close();
  }
}
