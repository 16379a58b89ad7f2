import type { Termination } from '../base/termination.ts';
import type { CallError } from './call.ts';
import type { CallStateName, OverState } from './call-state.ts';

/**
 * Returns the error to report when a call moves from live state `from` to a final one; null when nothing went wrong.
 */
export function callErrorOf(from: CallStateName, { name, termination }: OverState): CallError | null {
  if (name !== 'disconnected') return null;
  if (termination.result === 'internal_error') return internalError(termination);
  const hadBridge = from !== 'connecting' || termination.result === 'disconnected';
  return hadBridge ? bridgeDisconnected(termination) : callFailed(termination);
}

/** The error for a bridge to the platform that was up and dropped. */
export function bridgeDisconnected(termination: Termination): CallError {
  return {
    type: 'call_error',
    code: 'bridge_disconnected',
    message: `The bridge to the platform dropped (${termination.reason}). Create a new call with the same meeting_url to rejoin.`,
    termination,
  };
}

/**
 * The error for an outbound call that never connected. Its code differs from that of a dropped bridge, because clients
 * that rejoin on a drop would redial a busy number forever.
 */
function callFailed(termination: Termination): CallError {
  return {
    type: 'call_error',
    code: 'call_failed',
    message: `The call could not be connected: ${termination.reason}`,
    termination,
  };
}

function internalError(termination: Termination): CallError {
  return {
    type: 'call_error',
    code: 'internal_error',
    message: 'The call ended because of an internal error.',
    termination,
  };
}
