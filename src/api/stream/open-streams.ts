import type { CallStream } from './call-stream.ts';

/** The call WebSockets that are open, by the credential that opened them. */
export class OpenStreams {
  readonly #byCredential = new Map<string, Set<CallStream>>();

  /** Lists a stream until the returned function is called. */
  add(credentialId: string, stream: CallStream): () => void {
    const streams = this.#byCredential.get(credentialId) ?? new Set<CallStream>();
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

  /** A credential now acts for these agents alone: closes what it has open on calls of others. */
  narrow(credentialId: string, agentIds: readonly string[]): void {
    for (const stream of [...(this.#byCredential.get(credentialId) ?? [])])
      if (!agentIds.includes(stream.agentId)) stream.dismiss();
  }
}
