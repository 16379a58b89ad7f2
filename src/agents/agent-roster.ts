import { listAgentIds } from '../store/agents.ts';
import type { Db } from '../store/tables.ts';

const NONE: readonly string[] = [];

/** The agents of every account, in memory: a session acts for all of them, and no request waits for the database. */
export class AgentRoster {
  readonly #db: Db;
  #byAccount = new Map<string, readonly string[]>();

  private constructor(db: Db) {
    this.#db = db;
  }

  static async load(db: Db): Promise<AgentRoster> {
    const roster = new AgentRoster(db);
    await roster.reloadAll();
    return roster;
  }

  /** The account's agents, the default one first; empty until the account has one. */
  idsOf(accountId: string): readonly string[] {
    return this.#byAccount.get(accountId) ?? NONE;
  }

  async reloadAll(): Promise<void> {
    const rows = await listAgentIds(this.#db, null);
    const grouped = Map.groupBy(rows, (row) => row.accountId);
    this.#byAccount = new Map(
      Array.from(grouped, ([accountId, own]) => [accountId, own.map(({ id }) => id)] as const),
    );
  }

  /** Takes over what changed in one account: after an agent was made, deleted or became the default. */
  async reload(accountId: string): Promise<void> {
    const rows = await listAgentIds(this.#db, accountId);
    if (rows.length === 0) this.#byAccount.delete(accountId);
    else
      this.#byAccount.set(
        accountId,
        rows.map(({ id }) => id),
      );
  }
}
