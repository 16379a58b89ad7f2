import { ModelFault, type ModelFaultKind } from '../model-fault.ts';
import { providerWords } from '../provider-words.ts';
import type { SessionEvent } from './session-event.ts';

/** Errors that are said by `session.error`. The service has retried what can be retried. */
const KINDS: Readonly<Record<string, ModelFaultKind>> = {
  model_overloaded_error: 'overloaded',
  model_request_failed_error: 'overloaded',
  model_rate_limited_error: 'rate_limited',
  billing_error: 'quota',
  compaction_limit_reached_error: 'too_long',
  tool_use_limit_reached_error: 'bad_request',
  mcp_connection_failed_error: 'bad_request',
  mcp_authentication_failed_error: 'no_access',
};

/** After these the session has the turn and is ready for the next one. */
const DOUBTFUL: ReadonlySet<ModelFaultKind> = new Set(['overloaded', 'rate_limited']);

/** Returns the fault for the last error of a turn; null: there was none. */
export function faultOfSession(error: SessionEvent['error'], secrets: readonly string[]): ModelFault | null {
  if (error === undefined) return null;
  const kind = KINDS[error.type] ?? 'overloaded';
  const words = providerWords(error.message ?? error.type, secrets);
  return new ModelFault(kind, { words, isDoubtful: DOUBTFUL.has(kind) });
}
