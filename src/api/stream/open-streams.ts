import type { PlaceHolder, Places } from '../../base/places.ts';

/** An open WebSocket that acts for some agents. */
export interface AgentStream {
  /** The agents of the stream's credential have changed: continues with them, or closes if it may not. */
  follow(agentIds: readonly string[]): void;
}

/** The open WebSockets by credential. */
export class OpenStreams {
  readonly #byCredential = new Map<string, Set<AgentStream>>();

  /** Takes one of `places` for a stream and registers it until the returned function is called. */
  add(holder: PlaceHolder, stream: AgentStream, places: Places): () => void {
    const { credentialId } = holder;
    const leavePlace = places.take(holder);
    const streams = this.#byCredential.get(credentialId) ?? new Set<AgentStream>();
    this.#byCredential.set(credentialId, streams.add(stream));
    return () => {
      leavePlace();
      streams.delete(stream);
      if (streams.size === 0) this.#byCredential.delete(credentialId);
    };
  }

  /** Number of a credential's open streams. */
  countOf(credentialId: string): number {
    return this.#byCredential.get(credentialId)?.size ?? 0;
  }

  /** Tells a credential's streams which agents it now acts for; none if it was revoked. */
  follow(credentialId: string, agentIds: readonly string[]): void {
    for (const stream of [...(this.#byCredential.get(credentialId) ?? [])]) stream.follow(agentIds);
  }
}
