import type { MediaEvent } from '../connectors/contract/media-leg.ts';

/**
 * Everything that crosses between the main thread and an engine worker, except PCM (rings.ts) and numbers
 * (engine-stats.ts). A Command asks, a Reply answers one Command, an Event tells what happened.
 */
export const PROTOCOL_VERSION = 1;

/**
 * A call's place on a worker: the argument of its long-lived task. It holds all that the worker must know, so a
 * call moves to a fresh worker by starting a task with the same placement, `config` and `agents` filled in.
 */
export interface CallPlacement {
  readonly version: typeof PROTOCOL_VERSION;
  readonly callId: string;
  readonly media: {
    readonly kind: string;
    readonly open: unknown;
    readonly memory: SharedArrayBuffer;
    /** The last configuration; null before the first. */
    readonly config: unknown;
  };
  readonly agents: readonly AgentPlacement[];
}

/** An agent leg's place: its rings, and the rate at which it wants to hear. */
export interface AgentPlacement {
  readonly legId: number;
  /** Ring memory agent → call. */
  readonly uplink: SharedArrayBuffer;
  /** Ring memory call → agent; null until the agent asks to receive. */
  readonly downlink: AgentDownlink | null;
}

export interface AgentDownlink {
  readonly sampleRateHz: number;
  readonly memory: SharedArrayBuffer;
}

/** Main → worker. `requestId` is present where a Reply is awaited. */
export type Command =
  | {
      readonly type: 'media.configure';
      readonly callId: string;
      readonly requestId: number;
      readonly config: unknown;
    }
  | {
      readonly type: 'media.command';
      readonly callId: string;
      readonly requestId: number;
      readonly command: unknown;
    }
  | { readonly type: 'agent.join'; readonly callId: string; readonly agent: AgentPlacement }
  | {
      readonly type: 'agent.listen';
      readonly callId: string;
      readonly legId: number;
      readonly downlink: AgentDownlink | null;
    }
  /** Drops what the agent has sent and nobody has heard yet; answered by `agent.cleared`. */
  | { readonly type: 'agent.clear'; readonly callId: string; readonly legId: number }
  | { readonly type: 'agent.leave'; readonly callId: string; readonly legId: number }
  | { readonly type: 'call.close'; readonly callId: string };

/** Worker → main, one for each Command with a requestId. */
export type Reply =
  | { readonly type: 'reply'; readonly requestId: number; readonly ok: true }
  | { readonly type: 'reply'; readonly requestId: number; readonly ok: false; readonly error: WireError };

/** Worker → main. The doorbell is not an Event: it is a bare number, the tick's index, at most one a tick. */
export type Event =
  /** First thing on a worker's own port. */
  | {
      readonly type: 'worker.ready';
      readonly version: typeof PROTOCOL_VERSION;
      readonly stats: SharedArrayBuffer;
    }
  /** The call's media leg is open and takes part in the tick. */
  | { readonly type: 'call.placed'; readonly callId: string }
  | { readonly type: 'media.event'; readonly callId: string; readonly event: MediaEvent }
  /** All audio sent before the mark has been played. */
  | { readonly type: 'agent.mark'; readonly callId: string; readonly legId: number; readonly markId: number }
  /** Milliseconds since the leg's former `clear` (or its start), counted when the last sample had left. */
  | {
      readonly type: 'agent.cleared';
      readonly callId: string;
      readonly legId: number;
      readonly playedMs: number;
      readonly droppedMs: number;
    };

/** An error in a form that survives structured cloning with its `code`. */
export interface WireError {
  readonly message: string;
  readonly code: string | null;
}
