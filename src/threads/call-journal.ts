import { MEDIA_MEMORY_BYTES, type MediaEvent } from '../media/media-leg.ts';
import type { SpeechRings } from '../rings/speech-rings.ts';
import type { AgentLink } from './agent-link.ts';
import { MoveLimit } from './move-limit.ts';
import { type CallPlacement, PROTOCOL_VERSION, type TapPlacement } from './protocol.ts';

/** Who hears the call and speaks in it. */
interface Parties {
  readonly audioStarted: boolean;
  readonly agents: readonly AgentLink[];
  readonly taps: readonly TapPlacement[];
  readonly speech: SpeechRings | null;
}

/** Everything needed to place a call with open media on any worker, any number of times. */
export class CallJournal {
  readonly onEvent: (event: MediaEvent<unknown>) => void;
  readonly #callId: string;
  readonly #kind: string;
  readonly #open: unknown;
  readonly #memory = new SharedArrayBuffer(MEDIA_MEMORY_BYTES);
  #config: unknown = null;
  readonly #moves = new MoveLimit();

  constructor(callId: string, kind: string, open: unknown, onEvent: (event: MediaEvent<unknown>) => void) {
    this.#callId = callId;
    this.#kind = kind;
    this.#open = open;
    this.onEvent = onEvent;
  }

  configure(config: unknown): void {
    this.#config = config;
  }

  placement(callNumber: number, { audioStarted, agents, taps, speech }: Parties): CallPlacement {
    return {
      version: PROTOCOL_VERSION,
      callId: this.#callId,
      callNumber,
      media: { kind: this.#kind, open: this.#open, memory: this.#memory, config: this.#config },
      audioStarted,
      agents: agents.map((agent) => agent.placement()),
      taps,
      speech,
    };
  }

  /** Records a move. Returns false when the call has moved too often. */
  noteMove(): boolean {
    return this.#moves.note();
  }
}
