import type { AgentScope } from '../../base/scope.ts';
import type { AttachmentSource, ResolvedFile } from '../../files/resolve-attachments.ts';
import type { Db } from '../../store/database/rows.ts';
import { noteSubject, type RequestRef, subjectOf } from '../../store/keys/idempotent-requests.ts';
import type { ReplyWatch } from '../intake/reply-watch.ts';
import type { LiveMessages } from '../live/live-messages.ts';
import type { TypingIndicators } from '../typing/typing-indicators.ts';
import type { Outbox, OutboxDeps } from './outbox.ts';
import type { WebhookAnswers } from './webhook-answers.ts';

/** Dependencies for outbound messages. Built once by the composition root. */
export interface OutboundDomain extends OutboxDeps {
  readonly outbox: Outbox;
  readonly answers: WebhookAnswers;
  readonly typing: TypingIndicators;
  readonly live: LiveMessages;
  readonly replies: ReplyWatch;
  /** Sent to people who get no answer in time, unless their agent has its own text. Empty: nothing is sent. */
  readonly timeoutText: string;
  /** Turns a message's attachments into files of the account. Rejects with the errors of files/resolve-attachments. */
  readonly resolveFiles: (
    accountId: string,
    sources: readonly AttachmentSource[],
    signal: AbortSignal,
  ) => Promise<readonly ResolvedFile[]>;
  /** Called for every credential that has answered a probe (see `sendProbe`). */
  readonly onProbeAnswered: (credentialId: string, probeId: string) => void;
  /** Called when background work fails. */
  readonly onFailure: (what: string, error: unknown) => void;
}

/** The sender: a credential and the agents it acts for. */
export interface Writer {
  readonly scope: AgentScope;
  readonly credentialId: string;
  /** Null: a repeated request writes another message. */
  readonly request: RepeatableRequest | null;
}

/** A request to write one message that may be made again after a crash, and still writes only one. */
export interface RepeatableRequest {
  /** Notes the message. Called in the transaction that stores it. */
  note(db: Db, messageId: string): Promise<void>;
  /** Returns the message that the request has stored before. Null: none. */
  written(db: Db): Promise<string | null>;
}

/** A request with an `Idempotency-Key`. */
export function requestWithKey(ref: RequestRef): RepeatableRequest {
  return {
    note: async (db, messageId) => await noteSubject(db, ref, messageId),
    written: async (db) => await subjectOf(db, ref),
  };
}
