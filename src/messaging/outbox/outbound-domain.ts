import type { AgentScope } from '../../base/scope.ts';
import type { AttachmentSource, ResolvedFile } from '../../files/resolve-attachments.ts';
import type { RequestRef } from '../../store/keys/idempotent-requests.ts';
import type { ReplyWatch } from '../intake/reply-watch.ts';
import type { TypingIndicators } from '../typing/typing-indicators.ts';
import type { Outbox, OutboxDeps } from './outbox.ts';

/** What the verbs on outbound messages work with; put together once by the composition root. */
export interface OutboundDomain extends OutboxDeps {
  readonly outbox: Outbox;
  readonly typing: TypingIndicators;
  readonly replies: ReplyWatch;
  /** What people are told who get no answer in time, unless their agent has words of its own; empty: nothing. */
  readonly timeoutText: string;
  /** Makes files of the account of what a message shall carry. Rejects with the errors of files/resolve-attachments. */
  readonly resolveFiles: (
    accountId: string,
    sources: readonly AttachmentSource[],
    signal: AbortSignal,
  ) => Promise<readonly ResolvedFile[]>;
  /** Told of every credential that has answered a probe (see `sendProbe`). */
  readonly onProbeAnswered: (credentialId: string, probeId: string) => void;
  /** Hears of failures in what nobody waits for. */
  readonly onFailure: (what: string, error: unknown) => void;
}

/** Who writes: a credential for the agents that it acts for. */
export interface Writer {
  readonly scope: AgentScope;
  readonly credentialId: string;
  /** Of a request that came with an `Idempotency-Key`. */
  readonly request: RequestRef | null;
}
