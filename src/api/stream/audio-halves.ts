import type { Capability } from '../../base/platform.ts';
import type { AgentBell, AgentPlacement, ClearPoint } from '../../threads/protocol.ts';
import type { StreamEvent } from '../schema/stream.ts';

/**
 * A call WebSocket whose connection is on a thread of its own has two halves: the one on that thread carries the audio,
 * the one on the main thread knows the call. This is what they tell each other.
 */

/** What the half with the audio begins with. */
export interface AudioBegins {
  readonly callId: string;
  readonly sampleRateHz: number;
  readonly capabilities: readonly Capability[];
  /** What the client is told first. */
  readonly opening: readonly StreamEvent[];
}

/** To the half with the audio. */
export type ToAudio =
  | { readonly type: 'offer'; readonly capabilities: readonly Capability[] }
  /** To be dropped if the client reads too slowly. */
  | { readonly type: 'interim'; readonly text: string }
  /** What the engine says about the agent (`AgentEnd`). */
  | { readonly type: 'placed'; readonly slot: number }
  | { readonly type: 'marked'; readonly markId: number }
  | { readonly type: 'held'; readonly isHeld: boolean; readonly playedMs: number }
  | { readonly type: 'cleared'; readonly playedMs: number; readonly droppedMs: number };

/** From the half with the audio. */
export type FromAudio =
  /** The client uses audio. Sent once, before what the agent does (`AgentSeat`). */
  | { readonly type: 'join'; readonly uplink: SharedArrayBuffer; readonly bell: AgentBell }
  | { readonly type: 'clear'; readonly point: ClearPoint }
  | { readonly type: 'hold'; readonly isHeld: boolean }
  | { readonly type: 'listen'; readonly downlink: AgentPlacement['downlink'] }
  /** The client was told of an error. */
  | { readonly type: 'failed'; readonly code: string }
  /** Interim results that were dropped. */
  | { readonly type: 'interim_dropped' };
