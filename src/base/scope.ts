import type { Platform } from './platform.ts';

/** Whose things a credential may see and touch: one account, within it some agents, and of those some platforms. */
export interface AgentScope {
  readonly accountId: string;
  /** Never empty for an agent key; the first is the one that new calls belong to. */
  readonly agentIds: readonly string[];
  /** Null: all platforms, those that come later too, and what agents write to each other. */
  readonly platforms: ReadonlySet<Platform> | null;
}

/** Whether a scope reaches a platform; `agent` stands for agents among themselves. */
export function reaches({ platforms }: Pick<AgentScope, 'platforms'>, platform: Platform | 'agent'): boolean {
  return platforms === null || (platform !== 'agent' && platforms.has(platform));
}

/** A credential's part of its account: what is asked with it sees no more than this. */
export function scopeOf({ accountId, agentIds, platforms }: AgentScope): AgentScope {
  return { accountId, agentIds, platforms };
}

/** Whether these are the same agents, in whatever order. */
export function areSameAgents(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((id) => others.includes(id));
}
