import type { MessagePort } from 'node:worker_threads';
import type { MediaCounters, MediaEvent } from '../media/media-leg.ts';
import type { FrameRing } from '../rings/frame-ring.ts';
import type { DownlinkRing } from '../rings/packet-frame.ts';
import type { SpeechRings } from '../rings/speech-rings.ts';

/**
 * Everything sent between the main thread and an engine worker, except PCM (ring-layout.ts), ticks
 * (doorbell.ts) and figures (engine-stats.ts). A Command is an instruction, a Reply answers one Command, and an Event is a notification.
 */
export const PROTOCOL_VERSION = 1;

/** How a worker does media I/O, set when it starts. `auto` uses the native module where it is built. */
export type MediaIoChoice = 'auto' | 'native' | 'portable';

/**
 * Which way audio flows between a call and its agents and hosted speech: `inward` while the far end may be heard and must
 * not hear anybody, which is before it has answered.
 */
export type AudioFlow = 'none' | 'inward' | 'both';

/** What an engine thread is started with. */
export interface EngineThreadOptions {
  readonly mediaIo: MediaIoChoice;
  /** The most that jitter buffers aim at. */
  readonly maxJitterDelayMs: number | undefined;
}

/**
 * Placement of a call on a worker: the argument of its long-lived task. It holds everything the worker needs, so a call
 * moves to another worker by starting a task with the same placement plus the current `config` and `agents`.
 */
export interface CallPlacement {
  readonly version: typeof PROTOCOL_VERSION;
  readonly callId: string;
  /** New for each placement, 1 and up. Identifies the call in the worker's shared figures. */
  readonly callNumber: number;
  readonly media: {
    readonly kind: string;
    readonly open: unknown;
    readonly memory: SharedArrayBuffer;
    /** The last configuration; null before the first. */
    readonly config: unknown;
  };
  readonly audio: AudioFlow;
  readonly agents: readonly AgentPlacement[];
  readonly taps: readonly TapPlacement[];
  /** Null: nobody speaks for the gateway. */
  readonly speech: SpeechRings | null;
  /** Whether `call.heard` is wanted. */
  readonly isListenedTo: boolean;
}

/** Copies one voice of the leg into a ring, every tick, silence included; nothing while the call is on hold. */
export interface TapPlacement {
  readonly voice: number;
  readonly ring: FrameRing;
}

/** Placement of an agent leg: its rings and the rate it listens at. */
export interface AgentPlacement {
  readonly legId: number;
  /** Ring memory from agent to call. */
  readonly uplink: SharedArrayBuffer;
  /** Rings when a slot has ticked in which the agent waits. Null: the main thread's, `ticked`. */
  readonly bell: AgentBell | null;
  /** Ring memory from call to agent; null until the agent asks to receive. */
  readonly downlink: DownlinkRing | null;
  /** Clears requested but not yet answered. */
  readonly clears: readonly ClearPoint[];
  /** Whether its audio is held, before those of `holds` that are not answered yet. */
  readonly isHeld: boolean;
  readonly holds: readonly boolean[];
}

/** The doorbell of a thread that agents' sockets are on. */
export interface AgentBell {
  /** New for each thread. */
  readonly id: number;
  readonly memory: SharedArrayBuffer;
}

/**
 * The end of the audio that a `clear` drops: a position in the uplink ring and the number of notes written before it.
 */
export interface ClearPoint {
  readonly position: number;
  readonly noteCount: number;
}

/** Outcome of a call's task. A task that rejects has lost its worker. */
export type CallOutcome =
  | { readonly type: 'closed' }
  /** The media leg could not open, or rejected its configuration when it was reopened. */
  | { readonly type: 'open_failed'; readonly error: WireError }
  /** A bug ended the call. */
  | { readonly type: 'failed'; readonly error: WireError };

/** Main → worker. Commands with a `requestId` are answered by a Reply. */
export type Command = CallCommand & { readonly callId: string };

export type CallCommand =
  | { readonly type: 'media.configure'; readonly requestId: number; readonly config: unknown }
  | {
      readonly type: 'media.command';
      readonly requestId: number;
      readonly name: string;
      readonly args: readonly unknown[];
    }
  /** Answered with an AudioReport. */
  | { readonly type: 'call.report'; readonly requestId: number }
  | { readonly type: 'agent.join'; readonly agent: AgentPlacement }
  | { readonly type: 'agent.listen'; readonly legId: number; readonly downlink: DownlinkRing | null }
  /** Drops audio that the agent has sent but that has not been played; answered by `agent.cleared`. */
  | { readonly type: 'agent.clear'; readonly legId: number; readonly point: ClearPoint }
  /** Holds the agent's audio, or goes on with it; answered by `agent.held`. A clear goes on, too. */
  | { readonly type: 'agent.hold'; readonly legId: number; readonly isHeld: boolean }
  | { readonly type: 'agent.leave'; readonly legId: number }
  /** A null ring ends the tap. */
  | { readonly type: 'voice.tap'; readonly voice: number; readonly ring: FrameRing | null }
  /** Hosted speech becomes a party of the room, for the rest of the call. Sent once. */
  | { readonly type: 'call.speech'; readonly speech: SpeechRings }
  | { readonly type: 'call.audio'; readonly flow: AudioFlow }
  /** Tells what is heard of the far end, by `call.heard`, while the audio flows both ways. */
  | { readonly type: 'call.listen' }
  | { readonly type: 'call.close' };

/**
 * How the audio of a call is doing. The delays are current; the other figures are totals since the call was placed on the
 * worker.
 */
export interface AudioReport {
  /** What the platform sends. */
  readonly received: Pick<
    MediaCounters,
    'delayMs' | 'lost' | 'late' | 'concealed' | 'droppedForDepth' | 'shortenedMs' | 'lengthenedMs'
  > & {
    /** Root mean square of what is heard, 0 to 1. */
    readonly level: number;
  };
  /** What agents send, including agents that have left. Hosted speech is part of the level only. */
  readonly sent: {
    readonly level: number;
    /** The longest queue of an agent's audio; 0 when none waits to be played. */
    readonly delayMs: number;
    readonly underruns: number;
    readonly shortenedMs: number;
    readonly lengthenedMs: number;
  };
}

/** Worker → main. One for each Command with a `requestId`. */
export type Reply = RequestReply & { readonly callId: string };

/** The reply to a request of any thread. `value` is the result of a command. */
export type RequestReply =
  | { readonly type: 'reply'; readonly requestId: number; readonly ok: true; readonly value: unknown }
  | { readonly type: 'reply'; readonly requestId: number; readonly ok: false; readonly error: WireError };

/** When the far end had finished speaking, as its audio arrived, and when the first sound of the answer left (`wallMs`). */
export interface MeasuredTurn {
  readonly endMs: number;
  readonly soundMs: number;
}

/** What is heard of the far end, in ms of its audio since the call was answered. */
export type HeardFact = { readonly atMs: number } & (
  | { readonly type: 'speech'; readonly isOn: boolean }
  /** A pure tone has lasted so long: for 400 ms, or until it was over. */
  | { readonly type: 'tone'; readonly hz: number; readonly ms: number; readonly isOver: boolean }
  | { readonly type: 'music'; readonly isOn: boolean }
);

/** Worker → main: about a call. */
export type CallEvent = { readonly callId: string } & (
  | { readonly type: 'media.event'; readonly event: MediaEvent<unknown> }
  /** The call's media leg is open. The call ticks in this slot, 0 to 19. */
  | { readonly type: 'call.placed'; readonly callNumber: number; readonly slot: number }
  /** The far end has been answered. */
  | { readonly type: 'call.turn'; readonly turn: MeasuredTurn }
  /** After `call.listen`. */
  | { readonly type: 'call.heard'; readonly fact: HeardFact }
  /** All audio sent before the mark has been played. */
  | { readonly type: 'agent.mark'; readonly legId: number; readonly markId: number }
  /** `playedMs` is a sum since the leg was created: all that has left. */
  | {
      readonly type: 'agent.held';
      readonly legId: number;
      readonly isHeld: boolean;
      readonly playedMs: number;
    }
  /** Sums since the leg was created, taken when the last sample had left. The agent's end subtracts the previous answer's sums. */
  | {
      readonly type: 'agent.cleared';
      readonly legId: number;
      readonly playedMs: number;
      readonly droppedMs: number;
    }
);

/** Worker → main. A fault is an exception that belongs to no call. The worker continues. */
export type Event = CallEvent | { readonly type: 'worker.fault'; readonly error: WireError };

/** A worker's first message, sent over the pool's channel. It carries the port for everything that follows. */
export interface WorkerReady {
  readonly type: 'worker.ready';
  readonly version: typeof PROTOCOL_VERSION;
  readonly threadId: number;
  readonly stats: SharedArrayBuffer;
  /** Memory of the doorbell that rings when a slot with agents has ticked: bit 0 to 19. */
  readonly ticked: SharedArrayBuffer;
  readonly port: MessagePort;
}

/** An error that keeps its `code` through structured cloning. */
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

/** Turns the error of a Reply or an outcome back into an Error with its `code`. */
export function fromWireError({ message, code }: WireError): Error {
  return code === null ? new Error(message) : Object.assign(new Error(message), { code });
}
