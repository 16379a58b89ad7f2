import type { ModelFaultKind } from './model-fault.ts';

/** What one provider's errors mean, beyond their statuses. */
export interface FaultTable {
  /** Kinds by the provider's codes, in lower case. */
  readonly codes: Readonly<Record<string, ModelFaultKind>>;
  /** What words of an error say. `of`: only of this kind, so far; absent: of any. */
  readonly words: readonly (readonly [RegExp, ModelFaultKind, of?: ModelFaultKind])[];
}

const KIND_OF_STATUS: Readonly<Record<number, ModelFaultKind>> = {
  401: 'key_rejected',
  402: 'quota',
  403: 'no_access',
  404: 'not_found',
  408: 'overloaded',
  413: 'too_long',
  429: 'rate_limited',
};

/** What the status of a refusal says when the words say nothing. */
export function kindOfStatus(status: number): ModelFaultKind {
  if (status < 400) return 'bad_endpoint';
  return KIND_OF_STATUS[status] ?? (status >= 500 ? 'overloaded' : 'bad_request');
}

/** What does not answer in the provider's format is a proxy, or no provider at all. */
export function strangerKind(status: number): ModelFaultKind {
  const kind = kindOfStatus(status);
  return kind === 'bad_request' || kind === 'not_found' ? 'bad_endpoint' : kind;
}

/**
 * Returns the kind of an error: by the first of its codes that the table knows, else by its status, then by its words.
 * Undefined: neither says anything; errors within a stream have no status.
 */
export function kindOfError(
  { codes: kinds, words }: FaultTable,
  { codes, message, status }: { codes: readonly string[]; message: string; status?: number | undefined },
): ModelFaultKind | undefined {
  const code = codes.map((one) => one.toLowerCase()).find((one) => Object.hasOwn(kinds, one));
  const kind = kinds[code ?? ''] ?? (status === undefined ? undefined : kindOfStatus(status));
  const said = words.find(([pattern, , of]) => (of === undefined || of === kind) && pattern.test(message));
  return said?.[1] ?? kind;
}
