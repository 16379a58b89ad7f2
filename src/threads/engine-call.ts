import type { Termination } from '../base/termination.ts';
import type { MediaControl } from '../connectors/contract/media-control.ts';
import type { AgentAudio, AgentAudioObserver } from './agent-link.ts';
import type { QueueMemory } from './playout-memory.ts';

/** What a call on the engine tells its owner. */
export interface EngineCallObserver {
  /** The call's media half is gone for good and not by `close`: a bug, or no worker could hold it. */
  ended(termination: Termination): void;
}

/** A call's media half, wherever it runs. */
export interface EngineCall {
  readonly media: MediaControl;
  /** Lets agents speak and hear. What they said before waits until then and is played first. Safe to call twice. */
  startAudio(): void;
  /** Takes an agent into the room; `memory` is for what it says ahead of time. */
  joinAgent(observer: AgentAudioObserver, memory: QueueMemory): AgentAudio;
  /** Ends the media half; resolves when its sockets are closed, or after a deadline. Safe to call twice. */
  close(): Promise<void>;
}
