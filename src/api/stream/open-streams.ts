/** A WebSocket that is open for some agents. */
export interface AgentStream {
  /** Whether it may go on once its credential acts for these agents alone. */
  isFor(agentIds: readonly string[]): boolean;
  /** Ends it because it may not. */
  dismiss(): void;
}

/** The WebSockets that are open, by the credential that opened them. */
export class OpenStreams {
  readonly #byCredential = new Map<string, Set<AgentStream>>();

  /** Lists a stream until the returned function is called. */
  add(credentialId: string, stream: AgentStream): () => void {
    const streams = this.#byCredential.get(credentialId) ?? new Set<AgentStream>();
    this.#byCredential.set(credentialId, streams.add(stream));
    return () => {
      streams.delete(stream);
      if (streams.size === 0) this.#byCredential.delete(credentialId);
    };
  }

  /** How many streams a credential has open. */
  countOf(credentialId: string): number {
    return this.#byCredential.get(credentialId)?.size ?? 0;
  }

  /** A credential now acts for these agents alone: closes what it has open for others. */
  narrow(credentialId: string, agentIds: readonly string[]): void {
    for (const stream of [...(this.#byCredential.get(credentialId) ?? [])])
      if (!stream.isFor(agentIds)) stream.dismiss();
  }
}
