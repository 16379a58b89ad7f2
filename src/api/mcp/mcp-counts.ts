/** Why a session is over. */
export type SessionEnd = 'deleted' | 'idle' | 'revoked' | 'displaced';

/** What has happened at `/mcp`, for the metrics. */
export class McpCounts {
  /** Requests that were answered without a server of the SDK, and with one. */
  quick = 0;
  sdk = 0;
  /** Sessions that were not let open. */
  refused = 0;
  /** Streams that there was no room for. */
  streamsRefused = 0;
  readonly ended = new Map<SessionEnd, number>();

  sessionEnded(why: SessionEnd): void {
    this.ended.set(why, (this.ended.get(why) ?? 0) + 1);
  }
}
