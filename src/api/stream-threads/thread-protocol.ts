import type { MediaIoChoice, WireError } from '../../threads/protocol.ts';
import type { AudioBegins, FromAudio, ToAudio } from '../stream/audio-halves.ts';

/**
 * What the main thread and a stream thread tell each other. A number stands for one request, and for the WebSocket that
 * came of it.
 */

/** What a stream thread is started with. */
export interface StreamThreadOptions {
  /** New for each thread. */
  readonly id: number;
  readonly mediaIo: MediaIoChoice;
  /** The share of the thread in the memory for audio that waits to be played. */
  readonly playout: { readonly totalBytes: number; readonly accountBytes: number };
  readonly figures: SharedArrayBuffer;
}

/** A request that the main thread has to answer. */
export interface AskedRequest {
  readonly type: 'asked';
  readonly id: number;
  readonly kind: 'handshake' | 'request' | 'refuse';
  readonly method: string;
  readonly url: string;
  readonly query: string;
  /** The first value of each, by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly address: string;
}

export type ToThread =
  /** A connection to take over. */
  | { readonly type: 'connection'; readonly descriptor: number }
  /** A request is answered so, as the last one of its connection. */
  | {
      readonly type: 'answered';
      readonly id: number;
      readonly status: number;
      readonly headers: readonly (readonly [string, string])[];
      readonly body: string | Uint8Array;
    }
  | {
      readonly type: 'accepted';
      readonly id: number;
      readonly requestId: string;
      readonly accountId: string;
      readonly begins: AudioBegins;
    }
  | { readonly type: 'text'; readonly id: number; readonly text: string }
  | { readonly type: 'half'; readonly id: number; readonly message: ToAudio }
  /** So many messages of the socket have been taken. */
  | { readonly type: 'taken'; readonly id: number; readonly count: number }
  | { readonly type: 'end'; readonly id: number; readonly code: number; readonly reason: string }
  | { readonly type: 'drop'; readonly id: number }
  /** Drops all connections and ends. */
  | { readonly type: 'stop' };

export type FromThread =
  /** It takes over connections from now on, and beats. */
  | { readonly type: 'ready' }
  | { readonly type: 'adopted'; readonly descriptor: number }
  | AskedRequest
  | { readonly type: 'opened'; readonly id: number }
  | { readonly type: 'text'; readonly id: number; readonly text: string }
  | { readonly type: 'half'; readonly id: number; readonly message: FromAudio }
  | { readonly type: 'closed'; readonly id: number; readonly code: number; readonly reason: string }
  /** A connection was closed because it had sent too much, of this last. */
  | { readonly type: 'spent'; readonly of: string }
  | { readonly type: 'playout_full' }
  | { readonly type: 'fault'; readonly error: WireError };
