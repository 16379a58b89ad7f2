import type { AgentModels } from '../../src/agents/agent-domain.ts';

/** For agents whose models are not under test. */
export const NO_MODELS: AgentModels = {
  leaveConversations: async () => 0,
  leaveTools: async () => {},
  forget: () => {},
  follow: async () => {},
  dismiss: () => {},
  leave: async () => {},
};
