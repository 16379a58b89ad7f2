import { MEDIA_MEMORY_BYTES, type MediaEvent } from '../connectors/contract/media-leg.ts';
import type { AgentLink } from './agent-link.ts';
import { type CallPlacement, PROTOCOL_VERSION } from './protocol.ts';

/** A call that loses its worker more often than this within a minute is probably the cause. */
const MAX_MOVES_A_MINUTE = 3;

/** Everything needed to place a call with open media on any worker, any number of times. */
export class CallJournal {
  readonly onEvent: (event: MediaEvent<unknown>) => void;
  readonly #callId: string;
  readonly #kind: string;
  readonly #open: unknown;
  readonly #memory = new SharedArrayBuffer(MEDIA_MEMORY_BYTES);
  #config: unknown = null;
  #movedAtMs: number[] = [];

  constructor(callId: string, kind: string, open: unknown, onEvent: (event: MediaEvent<unknown>) => void) {
    this.#callId = callId;
    this.#kind = kind;
    this.#open = open;
    this.onEvent = onEvent;
  }

  configure(config: unknown): void {
    this.#config = config;
  }

  placement(callNumber: number, audioStarted: boolean, agents: readonly AgentLink[]): CallPlacement {
    return {
      version: PROTOCOL_VERSION,
      callId: this.#callId,
      callNumber,
      media: { kind: this.#kind, open: this.#open, memory: this.#memory, config: this.#config },
      audioStarted,
      agents: agents.map((agent) => agent.placement()),
    };
  }

  /** Records a move. Returns false when the call has moved too often. */
  noteMove(): boolean {
    const nowMs = performance.now();
    this.#movedAtMs = this.#movedAtMs.filter((atMs) => nowMs - atMs < 60_000);
    this.#movedAtMs.push(nowMs);
    return this.#movedAtMs.length <= MAX_MOVES_A_MINUTE;
  }
}
