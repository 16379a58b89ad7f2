import type { Termination } from '../base/termination.ts';
import type { CallError } from './call-event.ts';
import type { CallStateName, OverState } from './call-state.ts';

/**
 * Returns the error to report when a call moves from live state `from` to a final one; null when nothing went wrong.
 */
export function callErrorOf(from: CallStateName, { name, termination }: OverState): CallError | null {
  if (name !== 'disconnected') return null;
  if (termination.result === 'internal_error')
    return callError('internal_error', 'The call ended because of an internal error.', termination);
  const isFailure =
    from === 'connecting' ? termination.result !== 'disconnected' : termination.result === 'failed';
  if (!isFailure) return bridgeDisconnected(termination);
  // Its code differs from that of a dropped bridge: clients that rejoin on a drop would redial a busy number forever.
  const what = from === 'connecting' ? 'could not be connected' : 'failed';
  return callError('call_failed', `The call ${what}: ${termination.reason}`, termination);
}

/** The error for a bridge to the platform that was up and dropped. */
export function bridgeDisconnected(termination: Termination): CallError {
  const message = `The bridge to the platform dropped (${termination.reason}). Create a new call with the same meeting_url to rejoin.`;
  return callError('bridge_disconnected', message, termination);
}

function callError(code: CallError['code'], message: string, termination: Termination): CallError {
  return { type: 'call_error', code, message, termination };
}
