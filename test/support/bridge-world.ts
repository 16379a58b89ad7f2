import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { FakeBridge } from '../fakes/platform-bridge/fake-bridge.ts';
import { Gateway } from './gateway.ts';
import { readGatewayRows } from './gateway-database.ts';

export const TENANT = '11111111-2222-4333-8444-aaaaaaaaaaaa';

export interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields it needs and asserts on them
  readonly body: any;
}

export interface StoredRow {
  readonly id: string;
  readonly status: string;
}

/** A platform bridge that carries Teams and Nextcloud Talk, and a gateway process. */
export class BridgeWorld {
  readonly bridge: FakeBridge;
  readonly gateway: Gateway;
  #sent = 0;

  private constructor(bridge: FakeBridge, gateway: Gateway) {
    this.bridge = bridge;
    this.gateway = gateway;
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<BridgeWorld> {
    const bridge = await FakeBridge.start();
    const gateway = await Gateway.start({
      env: {
        SVC_BRIDGE_KEY: bridge.key,
        SVC_BRIDGE_URL: bridge.url,
        SVC_BRIDGE_PLATFORMS: 'teams,nctalk',
        SVC_DM_TIMEOUT_TEXT: 'off',
        ...env,
      },
    });
    gateway.secrets.add(bridge.key);
    return new BridgeWorld(bridge, gateway);
  }

  /** Ends both. Throws when the gateway has posted something that the bridge refused. */
  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.bridge.stop();
    if (this.bridge.refused.length > 0)
      throw new Error(`the bridge refused ${this.bridge.refused.join(', ')}`);
  }

  /** Connects Microsoft accounts with these object ids to the first account, as OAuth would, and starts again. */
  async connect(users: readonly string[]): Promise<void> {
    await this.gateway.restart(() => this.#insertConnections(users));
  }

  /** Posts with the bridge's key, unless `init` has other headers. */
  async post(path: string, body: unknown, init: RequestInit = {}): Promise<Answered> {
    const answer = await fetch(`${this.gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'X-API-Key': this.bridge.key },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
    });
    return { status: answer.status, body: await answer.json() };
  }

  /** Posts events and returns what became of each. */
  async events(...events: readonly object[]): Promise<readonly object[]> {
    const { status, body } = await this.post('/api/maquisard/event', { version: 1, events });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body.results;
  }

  /** A chat message of a connected person. */
  chatBody(user: string, fields: object = {}) {
    const sender = { id: user.toUpperCase(), tenant_id: TENANT, name: 'Ada' };
    return { version: 1, sender, message_id: `m-${++this.#sent}`, text: 'Hello', ...fields };
  }

  chat(user: string, fields: object = {}, init: RequestInit = {}): Promise<Answered> {
    return this.post('/api/teams/chat', this.chatBody(user, fields), init);
  }

  /** The stored messages with a text. */
  rows(text: string): StoredRow[] {
    return readGatewayRows(this.gateway.dataFolder, 'select id, status from messages where text = ?', text);
  }

  #insertConnections(users: readonly string[]): void {
    const database = new SqliteDatabase(join(this.gateway.dataFolder, 'gateway.db'));
    const { id: accountId } = database
      .prepare('select id from accounts order by created_at')
      .get() as StoredRow;
    const { id: agentId } = database
      .prepare('select id from agents where account_id = ?')
      .get(accountId) as StoredRow;
    const connection = database.prepare(
      `insert into connections (id, account_id, provider, label, status, provider_user_id, sealed_credentials, created_at, updated_at)
       values (?, ?, 'teams', 'Ada', 'ok', ?, '', ?, ?)`,
    );
    const member = database.prepare(
      `insert into agent_accounts (agent_id, member_type, member_id) values (?, 'connection', ?)`,
    );
    const nowIso = new Date().toISOString();
    database.transaction(() => {
      for (const user of users) {
        connection.run(`con_${user}`, accountId, `${TENANT}:${user}`, nowIso, nowIso);
        member.run(agentId, `con_${user}`);
      }
    })();
    database.close();
  }
}
