import type { CallLogin } from './connector.ts';

/** Inbound calls of a platform that a program outside of the gateway carries, the platform bridge. */
export interface BridgedCalls {
  /**
   * Lets a call ring. `known`: a call with this reference rings or is active already. `busy`: the gateway cannot take
   * the call (limit reached, closing).
   */
  ring(call: BridgedCall): 'ringing' | 'known' | 'busy';
  /** The call is over on the platform. Returns false when the gateway has no such call, or no longer. */
  ended(callRef: string, reason: string): boolean;
}

export interface BridgedCall {
  /** The bridge's own id of the call. */
  readonly callRef: string;
  readonly accountId: string;
  readonly agentId: string;
  readonly login: CallLogin;
  /** Caller as displayed. */
  readonly caller: string;
  /** What was called: the Call's meeting_url. May be empty. */
  readonly target: string;
}
