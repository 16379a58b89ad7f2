import { areSameAgents } from '../../base/scope.ts';
import { listAgentIds } from '../../store/agents/agents.ts';
import type { Db } from '../../store/database/rows.ts';

const NONE: readonly string[] = [];

/** Called when the agents of an account have changed. */
type OnAgentsChanged = (accountId: string, agentIds: readonly string[]) => void;

/**
 * The agents of every account, in memory. A session acts for all of its account's agents, and requests must not wait
 * for the database.
 */
export class AgentRoster {
  readonly #db: Db;
  #byAccount = new Map<string, readonly string[]>();
  #onChanged: OnAgentsChanged = () => {};

  private constructor(db: Db) {
    this.#db = db;
  }

  static async load(db: Db): Promise<AgentRoster> {
    const roster = new AgentRoster(db);
    await roster.reloadAll();
    return roster;
  }

  /** Returns the account's agents, the default one first; empty until it has one. */
  idsOf(accountId: string): readonly string[] {
    return this.#byAccount.get(accountId) ?? NONE;
  }

  /** Sets the listener for changed agents. */
  watch(onChanged: OnAgentsChanged): void {
    this.#onChanged = onChanged;
  }

  async reloadAll(): Promise<void> {
    const grouped = Map.groupBy(await listAgentIds(this.#db, null), (row) => row.accountId);
    this.#byAccount = new Map(
      Array.from(grouped, ([accountId, own]) => [accountId, own.map(({ id }) => id)] as const),
    );
  }

  /** Reloads one account after an agent was created, deleted or made the default. */
  async reload(accountId: string): Promise<void> {
    const rows = await listAgentIds(this.#db, accountId);
    const [former, now] = [this.idsOf(accountId), rows.map(({ id }) => id)];
    if (now.length === 0) this.#byAccount.delete(accountId);
    else this.#byAccount.set(accountId, now);
    if (!areSameAgents(former, now)) this.#onChanged(accountId, now);
  }
}
