/**
 * The media half of a platform leg: it lives on an engine worker and turns the platform's packets into
 * AudioFrames and back. The engine calls `pull` and `push` once a tick; neither may allocate, await or throw
 * for bad network input.
 */
export interface MediaLeg {
  /** Native rate of the leg's frames, in Hz; one frame is 20 ms of 16-bit mono. */
  readonly sampleRateHz: number;
  /** It neither sends nor hears before it is configured anew; a tick a second is enough for it. */
  readonly resting: boolean;
  /** Counts since the leg was opened; the same object all along, put right when it is asked for. */
  readonly counters: MediaCounters;
  /** Sets all that the leg negotiated (peer, codec, keys, direction); the whole of it each time, idempotent. */
  configure(config: unknown): void;
  /** Runs a passing request such as sending DTMF digits; resolves when it is done. */
  command(command: unknown): Promise<void>;
  /** Fills `frame` with the next 20 ms heard from the platform. False: nothing was heard, `frame` is zeroed. */
  pull(frame: Int16Array): boolean;
  /** Sends the next 20 ms to the platform. `voiced` false: `frame` is silence. */
  push(frame: Int16Array, voiced: boolean): void;
  /** Releases sockets and timers; safe to call twice. */
  close(): void;
}

/** What every media leg counts, for the engine's figures. */
export interface MediaCounters {
  readonly packetsReceived: number;
  readonly packetsSent: number;
  /** Packets that never came, and such that came too late to be played. */
  readonly lost: number;
  readonly late: number;
  /** Frames made up in place of missing ones. */
  readonly concealed: number;
  /** Packets left out to bring the delay down. */
  readonly droppedForDepth: number;
  /** Packets that the system did not take from us, and such that it dropped before we took them. */
  readonly unsent: number;
  readonly overflowed: number;
}

/** What the engine gives a media leg. */
export interface MediaLegHost {
  /** Tells the call actor. */
  emit(event: MediaEvent): void;
  /** Ends this call, and only this call, because of a bug found in a callback of the leg. */
  fail(error: unknown): void;
}

/**
 * Opens a media leg on the worker, ready for `configure`. `memory` is MEDIA_MEMORY_BYTES of shared memory that
 * outlives the worker: a leg opened again on the same memory goes on where the lost one stopped.
 * Rejects with an Error whose `code` is the system's (`EADDRINUSE`) when a port is taken.
 */
export type OpenMediaLeg = (
  open: unknown,
  memory: SharedArrayBuffer,
  host: MediaLegHost,
) => Promise<MediaLeg>;

/** What a thread does for all of its media legs at once; the engine calls `receive` and `send` in every tick. */
export interface MediaIo {
  readonly kind: 'native' | 'portable';
  /** Before the legs are pulled: hands them what has arrived. */
  receive(): void;
  /** After the legs were pushed to: sends what they have written. */
  send(): void;
  /** Sleeps for so long, to the point; or less, when the thread's event loop has something to do. */
  sleep(milliseconds: number): void;
}

/** Shared memory that a media leg may use to survive its worker, zeroed at first. */
export const MEDIA_MEMORY_BYTES = 256;

/** What a media leg tells its call; the same for every platform. */
export type MediaEvent =
  /** The first packet from the peer has arrived. */
  | { readonly type: 'flowing' }
  /** The peer pressed a key (0-9, *, #, A-D). */
  | { readonly type: 'dtmf'; readonly digit: string }
  /** Nothing has been heard for the configured time although the peer should be sending. */
  | { readonly type: 'stalled'; readonly silentMs: number };
