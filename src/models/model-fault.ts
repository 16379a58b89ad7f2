/** What kind of fault a provider has. */
export type ModelFaultKind =
  /** The key is wrong or has expired. */
  | 'key_rejected'
  /** The key is right, but not allowed to do this. */
  | 'no_access'
  /** The model or agent does not exist. */
  | 'not_found'
  /** The request is wrong, so the configuration is. */
  | 'bad_request'
  /** A content filter or the model declined. */
  | 'refused'
  /** The conversation is longer than the model takes. */
  | 'too_long'
  /** Credit is used up: a person must act. */
  | 'quota'
  | 'rate_limited'
  | 'overloaded'
  /** There is no connection to the endpoint. */
  | 'unreachable'
  /** The endpoint is not allowed, or does not speak the provider's protocol. */
  | 'bad_endpoint'
  /** The answer ended before it was complete. */
  | 'cut'
  /** The answer has no words: only reasoning, or nothing. */
  | 'empty'
  /** The provider no longer has the conversation. */
  | 'lost_memory'
  /** The provider is still working on another turn of the conversation. */
  | 'locked';

export interface ModelFaultDetail {
  /** The provider's words or ours, as one line without secrets, at most 300 characters. */
  readonly words: string;
  /** HTTP status; absent where there was no answer. */
  readonly status?: number;
  /** How long the provider asks us to wait. */
  readonly retryAfterMs?: number | null;
  /** The provider may have taken the turn all the same. */
  readonly isDoubtful?: boolean;
}

/** A fault of a model provider. */
export class ModelFault extends Error {
  override readonly name = 'ModelFault';
  readonly kind: ModelFaultKind;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly isDoubtful: boolean;

  constructor(
    kind: ModelFaultKind,
    { words, status, retryAfterMs, isDoubtful }: ModelFaultDetail,
    options?: ErrorOptions,
  ) {
    super(words, options);
    this.kind = kind;
    this.status = status ?? null;
    this.retryAfterMs = retryAfterMs ?? null;
    this.isDoubtful = isDoubtful ?? false;
  }
}

/** There was no connection. Whoever may choose the endpoint must not learn why: the reasons would map a network. */
export class NotReached extends ModelFault {}

/** Settings with which the provider cannot answer. */
export function unusable(words: string): ModelFault {
  return new ModelFault('bad_request', { words });
}

const TEMPORARY: ReadonlySet<ModelFaultKind> = new Set([
  'rate_limited',
  'overloaded',
  'unreachable',
  'locked',
]);

/** Whether the same request may succeed later, without anybody's help. */
export function isTemporary({ kind }: ModelFault): boolean {
  return TEMPORARY.has(kind);
}

/** Whether an error is a fault of one of these kinds. */
export function isFault(error: unknown, ...kinds: readonly ModelFaultKind[]): error is ModelFault {
  return error instanceof ModelFault && kinds.includes(error.kind);
}

/** Resolves with null for what is gone already, so that it need not be deleted. */
export async function unlessGone<Value>(asked: Promise<Value>): Promise<Value | null> {
  try {
    return await asked;
  } catch (error) {
    if (isFault(error, 'not_found', 'lost_memory')) return null;
    throw error;
  }
}
