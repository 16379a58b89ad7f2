/** Why a session ended. */
export type SessionEnd = 'deleted' | 'idle' | 'revoked' | 'displaced';

/** Counts requests and sessions of `/mcp`, for the metrics. */
export class McpCounts {
  /** Requests answered without the SDK, and by it. */
  fast = 0;
  sdk = 0;
  /** Sessions refused because of the limit. */
  refused = 0;
  /** Streams refused because of the limit. */
  streamsRefused = 0;
  readonly ended = new Map<SessionEnd, number>();

  sessionEnded(why: SessionEnd): void {
    this.ended.set(why, (this.ended.get(why) ?? 0) + 1);
  }
}
