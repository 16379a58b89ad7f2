import type { AnyCommands, CommandHandlers, MediaProtocol } from './media-protocol.ts';

/**
 * The media half of a platform leg. It runs on an engine worker and converts between the platform's packets and
 * AudioFrames. The engine pulls every voice and then pushes, once per tick. Neither may allocate or await, nor throw on bad
 * network input.
 */
export interface MediaLeg<Config = unknown, Commands = AnyCommands> {
  /** Native sample rate of the leg's frames, in Hz. One frame is 20 ms of 16-bit mono. */
  readonly sampleRateHz: number;
  /**
   * True when the leg will neither send nor receive until it is configured again. One tick in four seconds is then enough.
   */
  readonly resting: boolean;
  /** Whether the far end holds the call: it hears nothing, and music at most is heard of it. */
  readonly onHold: boolean;
  /** The parties heard through the leg, 1 to MAX_VOICES. A party's place never changes. */
  readonly voices: readonly Voice[];
  /** Totals since the leg was opened. Always the same object, updated when read. */
  readonly counters: MediaCounters;
  /** Sets the complete negotiated configuration (peer, codec, keys, direction) each time. Idempotent. */
  configure(config: Config): void;
  /** One-off commands, such as sending DTMF digits. */
  readonly commands: CommandHandlers<Commands>;
  /** Sends the next 20 ms to the platform. `frame` is silence when `voiced` is false. */
  push(frame: Int16Array, voiced: boolean): void;
  /** Releases sockets and timers. Safe to call twice. */
  close(): void;
}

/** One party heard through a leg. */
export interface Voice {
  /** Fills `frame` with the party's next 20 ms. Returns false when there was nothing; `frame` is then undefined. */
  pull(frame: Int16Array): boolean;
  /**
   * When the last frame had begun to arrive, before any buffer and less its own delay, by `wallMs`. Null: it was made up, to
   * conceal a loss. Without: unknown.
   */
  readonly arrivedAtMs?: number | null | undefined;
}

/** What exceeds them has to be mixed by the leg into the last one. */
export const MAX_VOICES = 8;

/** Returns the counters of a media leg, for the engine's metrics. All are totals but `delayMs`. */
export function newMediaCounters() {
  return {
    packetsReceived: 0,
    packetsSent: 0,
    /** Packets that never arrived, and that arrived too late to play. */
    lost: 0,
    late: 0,
    /** Frames synthesized in place of missing ones. */
    concealed: 0,
    /** Packets skipped to reduce the delay. */
    droppedForDepth: 0,
    /** Milliseconds by which audio was shortened to reduce the delay, and lengthened to raise it. */
    shortenedMs: 0,
    lengthenedMs: 0,
    /** The delay of the jitter buffer now, smoothed, or the longest of several; 0 without a stream. */
    delayMs: 0,
    /** Packets the system did not accept for sending, and those it dropped before they were read. */
    unsent: 0,
    overflowed: 0,
  };
}

export type MediaCounters = Readonly<ReturnType<typeof newMediaCounters>>;

/** The engine's services for a media leg. */
export interface MediaLegHost<Signal = never> {
  /** Reports an event to the call actor. */
  emit(event: MediaEvent<Signal>): void;
  /** Ends this call, and only this call, because of a bug in one of the leg's callbacks. */
  fail(error: unknown): void;
}

/**
 * Opens a media leg on the worker, ready for `configure`. `memory` is MEDIA_MEMORY_BYTES of shared memory that outlives
 * the worker: a leg reopened on the same memory continues where the lost one stopped. Rejects with an Error carrying
 * the system's `code` (`EADDRINUSE`) when a port is taken.
 */
export type OpenMediaLeg<Open, Config, Commands, Signal = never> = (
  open: Open,
  memory: SharedArrayBuffer,
  host: MediaLegHost<Signal>,
) => Promise<MediaLeg<Config, Commands>>;

/** A kind of media leg that an engine worker can open. Its types are known only to its protocol. */
export interface MediaLegFactory {
  readonly kind: string;
  readonly open: OpenMediaLeg<unknown, unknown, AnyCommands, unknown>;
}

/** Binds a protocol to the function that opens its legs. */
export function mediaLegFactory<Open, Config, Commands, Signal>(
  { kind }: MediaProtocol<Open, Config, Commands, Signal>,
  open: OpenMediaLeg<Open, Config, Commands, Signal>,
): MediaLegFactory {
  return { kind, open: open as unknown as MediaLegFactory['open'] };
}

/** Batched socket I/O for all media legs of a thread. The engine calls `receive` and `send` in every tick. */
export interface MediaIo {
  readonly kind: 'native' | 'portable';
  /** Called before the legs are pulled: delivers the packets that have arrived. */
  receive(): void;
  /** Called after the legs are pushed: sends the packets they have written. */
  send(): void;
  /** Sleeps for exactly this long, or less when the thread's event loop has work to do. */
  sleep(milliseconds: number): void;
  /**
   * Where the process may do so, this thread runs before all ordinary threads until it has used `cpuMs` of CPU time
   * without a rest in `sleep`.
   */
  precede(cpuMs: number): void;
}

/** Size of the shared memory that lets a media leg survive its worker. Initially zeroed. */
export const MEDIA_MEMORY_BYTES = 256;

/** Events from a media leg to its call: the same for every platform, and the signals of its protocol. */
export type MediaEvent<Signal = never> =
  /** The first packet from the peer has arrived. */
  | { readonly type: 'flowing' }
  /** The peer pressed a key (0-9, *, #, A-D). */
  | { readonly type: 'dtmf'; readonly digit: string }
  /** Nothing has been received for the configured time although the peer should be sending. */
  | { readonly type: 'stalled'; readonly silentMs: number }
  | ([Signal] extends [never] ? never : { readonly type: 'signal'; readonly signal: Signal });
