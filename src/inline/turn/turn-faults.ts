import { GatewayError } from '../../base/errors.ts';
import { ModelFault } from '../../models/model-fault.ts';
import type { DeliveryFailure } from '../../store/inline/deliveries.ts';

/** Why a turn was ended before it was over. */
export type TurnEndKind =
  /** The model took too long. */
  | 'timeout'
  /** A person interrupted the agent's speech, or a client stopped it. */
  | 'interrupted'
  /** The call is over. */
  | 'call_ended'
  /** The agent was deleted or its provider removed. */
  | 'agent_gone'
  /** The gateway is closing. The next start resumes the turn. */
  | 'closing';

const WORDS: Readonly<Record<TurnEndKind, string>> = {
  timeout: 'The model did not answer in time',
  interrupted: 'The agent was interrupted',
  call_ended: 'The call ended',
  agent_gone: 'The agent or its provider was removed',
  closing: 'The gateway is closing',
};

export class TurnEnded extends Error {
  override readonly name = 'TurnEnded';
  readonly kind: TurnEndKind;

  constructor(kind: TurnEndKind) {
    super(WORDS[kind]);
    this.kind = kind;
  }
}

/** Returns why a turn failed in words for its delivery; null for an unexpected error, which is a bug. */
export function failureOf(error: unknown): DeliveryFailure | null {
  if (error instanceof ModelFault) return { errorType: error.kind, error: error.message };
  if (error instanceof TurnEnded) return { errorType: error.kind, error: error.message };
  if (error instanceof GatewayError) return { errorType: error.code, error: error.message };
  return null;
}
