import type { AgentModels } from '../../src/agents/agent-domain.ts';

/** For agents whose models are not under test. */
export const NO_MODELS: AgentModels = {
  conversationsOf: async () => ({ count: 0, forget: () => {} }),
  follow: async () => {},
  dismiss: () => {},
  leave: async () => () => {},
};
