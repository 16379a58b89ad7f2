import type { PlaceHolder, Places } from '../../base/places.ts';

/** A WebSocket that is open for some agents. */
export interface AgentStream {
  /** Its credential acts for these agents from now on: it goes on with them, or ends where it may not. */
  follow(agentIds: readonly string[]): void;
}

/** The WebSockets that are open, by the credential that opened them. */
export class OpenStreams {
  readonly #byCredential = new Map<string, Set<AgentStream>>();

  /** Lists a stream, which has one of these places, until the returned function is called. */
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

  /** How many streams a credential has open. */
  countOf(credentialId: string): number {
    return this.#byCredential.get(credentialId)?.size ?? 0;
  }

  /** A credential acts for these agents from now on, for none when it lets nobody in any more. */
  follow(credentialId: string, agentIds: readonly string[]): void {
    for (const stream of [...(this.#byCredential.get(credentialId) ?? [])]) stream.follow(agentIds);
  }
}
