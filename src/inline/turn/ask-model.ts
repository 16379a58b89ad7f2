import { unreachable } from '../../base/assert.ts';
import type { Clock } from '../../base/time.ts';
import { pause } from '../../base/waits.ts';
import type { ModelClient, ModelReply, ModelTurn, TurnObserver } from '../../models/model-client.ts';
import { isTemporary, ModelFault } from '../../models/model-fault.ts';
import type { TurnMemory } from './turn-memory.ts';

/** The first attempt and two more. */
const MAX_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;

/** What asking a model needs. */
export interface Asking {
  readonly clock: Clock;
  readonly client: ModelClient;
  readonly memory: TurnMemory;
  readonly observer: TurnObserver;
  /** Notes an attempt before it is made. Throws if the turn is over. */
  readonly begin: () => Promise<void>;
  /** Whether part of the reply is out already, so that the turn must not be repeated. */
  readonly isVisible: () => boolean;
  /** When the turn's signal aborts, on the clock's monotonic scale. */
  readonly deadlineMs: number;
}

/** What to do after a fault or a restart: send this turn, or take the reply that the provider has. */
type Next = { readonly turn: ModelTurn } | { readonly reply: ModelReply };

/**
 * Asks a model, and again where that is safe: after faults that pass, once after the provider has lost the conversation,
 * and after a doubtful turn that the provider turns out not to have. `wasSent`: an earlier process has sent the turn.
 * Rejects with a ModelFault, or with the reason of the turn's signal.
 */
export async function askModel(asking: Asking, turn: ModelTurn, wasSent: boolean): Promise<ModelReply> {
  let next: Next = wasSent ? await reconciled(asking, turn) : { turn };
  for (let attempt = 1; 'turn' in next; attempt++) {
    await asking.begin();
    try {
      return await asking.client.turn(next.turn, asking.observer);
    } catch (error) {
      turn.signal.throwIfAborted();
      if (!(error instanceof ModelFault) || attempt >= MAX_ATTEMPTS || asking.isVisible()) throw error;
      next = await afterFault(asking, next.turn, error, attempt);
    }
  }
  return next.reply;
}

/** Throws the fault if the turn must not be repeated. */
async function afterFault(
  asking: Asking,
  turn: ModelTurn,
  fault: ModelFault,
  attempt: number,
): Promise<Next> {
  if (fault.isDoubtful) return await reconciled(asking, turn, fault);
  if (fault.kind === 'lost_memory' && turn.memory !== null) return rebuilt(asking, turn);
  if (!isTemporary(fault)) throw fault;
  const { clock, deadlineMs } = asking;
  const backoffMs = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 + Math.random() / 4);
  const waitMs = Math.max(fault.retryAfterMs ?? 0, backoffMs);
  if (clock.monotonicMs() + waitMs >= deadlineMs) throw fault;
  await pause(clock, waitMs, turn.signal);
  turn.signal.throwIfAborted();
  return { turn };
}

/**
 * Finds out what has become of a turn that the provider may have. When nobody can tell, the turn fails with the fault
 * that made it doubtful.
 */
async function reconciled(asking: Asking, turn: ModelTurn, fault?: ModelFault): Promise<Next> {
  const memory = asking.memory.current;
  // Without a conversation at the provider, the turn cannot be a part of it.
  if (memory === null) return { turn };
  try {
    const fate = await asking.client.reconcile({ ...turn, memory });
    switch (fate.kind) {
      case 'answered':
        return { reply: fate.reply };
      case 'unanswered':
        return { turn: { ...turn, memory, text: null } };
      case 'absent':
        // A conversation that this turn has begun may lack its history too.
        return turn.memory === null || fault === undefined ? rebuilt(asking, turn) : { turn };
      default:
        return unreachable(fate);
    }
  } catch (error) {
    turn.signal.throwIfAborted();
    if (error instanceof ModelFault && error.kind === 'lost_memory') return rebuilt(asking, turn);
    throw fault ?? error;
  }
}

/** The turn in a new conversation, which gets the history. */
function rebuilt({ memory }: Asking, turn: ModelTurn): Next {
  memory.abandon();
  return { turn: { ...turn, memory: null } };
}
