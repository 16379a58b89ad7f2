import type { Platform } from './platform.ts';

/** What a credential can access: one account, some of its agents, and some of their platforms. */
export interface AgentScope {
  readonly accountId: string;
  /** Never empty for an agent key. New calls belong to the first agent. */
  readonly agentIds: readonly string[];
  /** Null: all platforms, including future ones, and the messages between agents. */
  readonly platforms: ReadonlySet<Platform> | null;
}

/** Returns whether a scope includes a platform. `agent` stands for messages between agents. */
export function reaches({ platforms }: Pick<AgentScope, 'platforms'>, platform: Platform | 'agent'): boolean {
  return platforms === null || (platform !== 'agent' && platforms.has(platform));
}

/** Returns only the scope of a credential. Queries with it see nothing else of the account. */
export function scopeOf({ accountId, agentIds, platforms }: AgentScope): AgentScope {
  return { accountId, agentIds, platforms };
}

/** Returns whether both lists contain the same agents, in any order. */
export function areSameAgents(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((id) => others.includes(id));
}
