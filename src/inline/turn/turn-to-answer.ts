import type { StoredProvider } from '../../store/agents/agent-providers.ts';
import type { ActionContext } from '../actions/action-context.ts';
import type { Turn } from './open-turn.ts';

/** A turn that is to be answered. */
export interface OpenTurn {
  readonly turn: Turn;
  readonly provider: StoredProvider;
  readonly context: ActionContext;
  /** Ends the turn: the agent or the call is gone, the gateway is closing, or somebody interrupts the agent. */
  readonly signal: AbortSignal;
  /** Sentences of the reply are spoken as they are complete. */
  readonly isSpoken: boolean;
}
