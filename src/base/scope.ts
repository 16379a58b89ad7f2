/** Whose things a credential may see and touch: one account, and within it the agents it belongs to. */
export interface AgentScope {
  readonly accountId: string;
  /** Never empty for an agent key; the first is the one that new calls belong to. */
  readonly agentIds: readonly string[];
}

/** Whether these are the same agents, in whatever order. */
export function areSameAgents(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((id) => others.includes(id));
}
