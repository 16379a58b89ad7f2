import type { AgentAudioObserver } from '../../src/threads/engine.ts';

/** An agent's audio that takes all and keeps nothing. */
export const DEAF_AGENT: AgentAudioObserver = {
  frame: () => true,
  cork: (give) => give(),
  mark: () => {},
  cleared: () => {},
  held: () => {},
  overrun: () => {},
  overflow: () => {},
};
