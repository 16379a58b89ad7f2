import type { MessagePort } from 'node:worker_threads';
import type { MediaEvent } from '../connectors/contract/media-leg.ts';

/**
 * Everything that crosses between the main thread and an engine worker, except PCM (ring-layout.ts) and numbers
 * (engine-stats.ts). A Command asks, a Reply answers one Command, an Event tells what happened.
 */
export const PROTOCOL_VERSION = 1;

/** What a worker is started with: how it does its media I/O, `auto` being native where that was built. */
export type MediaIoChoice = 'auto' | 'native' | 'portable';

/**
 * A call's place on a worker: the argument of its long-lived task. It holds all that the worker must know, so a
 * call moves to a fresh worker by starting a task with the same placement, `config` and `agents` filled in.
 */
export interface CallPlacement {
  readonly version: typeof PROTOCOL_VERSION;
  readonly callId: string;
  /** A new one for each placement, 1 and up: names it in the worker's shared numbers. */
  readonly callNumber: number;
  readonly media: {
    readonly kind: string;
    readonly open: unknown;
    readonly memory: SharedArrayBuffer;
    /** The last configuration; null before the first. */
    readonly config: unknown;
  };
  /** Agents speak and hear only once the call's audio was started. */
  readonly audioStarted: boolean;
  readonly agents: readonly AgentPlacement[];
}

/** An agent leg's place: its rings, and the rate at which it wants to hear. */
export interface AgentPlacement {
  readonly legId: number;
  /** Ring memory agent → call. */
  readonly uplink: SharedArrayBuffer;
  /** Ring memory call → agent; null until the agent asks to receive. */
  readonly downlink: AgentDownlink | null;
  /** Clears that were asked for and not yet answered. */
  readonly clears: readonly ClearPoint[];
}

/** The end of what a `clear` drops: a position in the uplink ring and the number of notes written up to there. */
export interface ClearPoint {
  readonly position: number;
  readonly noteCount: number;
}

/** How a call's task ended. A task that rejects instead has lost its worker. */
export type CallOutcome =
  | { readonly type: 'closed' }
  /** The media leg could not open, or refused its configuration when it was opened again. */
  | { readonly type: 'open_failed'; readonly error: WireError }
  /** A bug ended the call. */
  | { readonly type: 'failed'; readonly error: WireError };

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
  | {
      readonly type: 'agent.clear';
      readonly callId: string;
      readonly legId: number;
      readonly point: ClearPoint;
    }
  | { readonly type: 'agent.leave'; readonly callId: string; readonly legId: number }
  | { readonly type: 'call.start_audio'; readonly callId: string }
  | { readonly type: 'call.close'; readonly callId: string };

/** Worker → main, one for each Command with a requestId. */
export type Reply =
  | { readonly type: 'reply'; readonly callId: string; readonly requestId: number; readonly ok: true }
  | {
      readonly type: 'reply';
      readonly callId: string;
      readonly requestId: number;
      readonly ok: false;
      readonly error: WireError;
    };

/** Worker → main. The doorbell is not an Event: it is a bare number, the slot whose calls have had their tick. */
export type Event =
  /** The call's media leg is open and has its ticks in this slot, 0 to 19. */
  | {
      readonly type: 'call.placed';
      readonly callId: string;
      readonly callNumber: number;
      readonly slot: number;
    }
  | { readonly type: 'media.event'; readonly callId: string; readonly event: MediaEvent }
  /** All audio sent before the mark has been played. */
  | { readonly type: 'agent.mark'; readonly callId: string; readonly legId: number; readonly markId: number }
  /** Sums since the leg began, counted when the last sample had left; the former answer's are subtracted on main. */
  | {
      readonly type: 'agent.cleared';
      readonly callId: string;
      readonly legId: number;
      readonly playedMs: number;
      readonly droppedMs: number;
    }
  /** An exception that belongs to no call; the worker goes on. */
  | { readonly type: 'worker.fault'; readonly error: WireError };

/** A worker's first word, over the pool's channel: where to reach it from now on. */
export interface WorkerReady {
  readonly type: 'worker.ready';
  readonly version: typeof PROTOCOL_VERSION;
  readonly threadId: number;
  readonly stats: SharedArrayBuffer;
  readonly port: MessagePort;
}

/** An error in a form that survives structured cloning with its `code`. */
export interface WireError {
  readonly message: string;
  readonly code: string | null;
  readonly stack: string | null;
}

export function toWireError(error: unknown): WireError {
  if (!(error instanceof Error)) return { message: String(error), code: null, stack: null };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  return { message: error.message, code, stack: error.stack ?? null };
}

/** The error of a Reply or an outcome as an Error again, with its `code`. */
export function fromWireError({ message, code }: WireError): Error {
  return code === null ? new Error(message) : Object.assign(new Error(message), { code });
}
