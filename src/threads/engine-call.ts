import type { Termination } from '../base/termination.ts';
import type { MediaControl } from '../connectors/contract/media-control.ts';
import type { AgentAudio, AgentAudioObserver } from './agent-link.ts';
import type { QueueBudget } from './playout-budget.ts';

/** Receives the events of a call on the engine. */
export interface EngineCallObserver {
  /** The call's media has ended for good without `close`: because of a bug, or because no worker could hold it. */
  ended(termination: Termination): void;
}

/** The media half of a call, on whichever worker it runs. */
export interface EngineCall {
  readonly media: MediaControl;
  /** Lets agents speak and hear. Audio they sent earlier is queued and played first. Safe to call twice. */
  startAudio(): void;
  /** Adds an agent to the call; `memory` limits the audio it queues. */
  joinAgent(observer: AgentAudioObserver, memory: QueueBudget): AgentAudio;
  /** Ends the call's media. Resolves when its sockets are closed, or after a deadline. Safe to call twice. */
  close(): Promise<void>;
}
