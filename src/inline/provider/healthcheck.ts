import { TimeLimit } from '../../base/time.ts';
import { ModelFault } from '../../models/model-fault.ts';
import type { StoredProvider } from '../../store/agents/agent-providers.ts';
import type { DeliveryFailure } from '../../store/inline/deliveries.ts';
import { answerTurn, countAttempt, endTurn } from '../../store/inline/delivery-turns.ts';
import { clearKeyRefusals } from '../../store/inline/inline-agents.ts';
import type { InlineDomain } from '../inline-domain.ts';
import { TurnEnded } from '../turn/turn-faults.ts';
import { statusOf } from './provider-status.ts';

/** For up to two turns, some of which reasoning models take long for. */
const PROBE_MS = 45_000;
const NO_ANSWER = { inputTokens: null, outputTokens: null, replyId: null };

interface Check {
  readonly accountId: string;
  readonly deliveryId: string;
  readonly provider: StoredProvider;
}

/**
 * Probes an agent's provider and stores the outcome with the delivery. When it passes, a key that was refused is used
 * again. Throws a ProbeFailed with the status, or the signal's reason.
 */
export async function checkHealth(
  { store, clock, clients }: InlineDomain,
  { accountId, deliveryId, provider }: Check,
  outer: AbortSignal,
): Promise<void> {
  const limit = new TimeLimit(clock, PROBE_MS, { reason: new ProbeFailed(LATE) });
  try {
    if (!(await countAttempt(store.db, deliveryId, provider.provider))) throw new TurnEnded('agent_gone');
    await clients.of(accountId, provider).probe(AbortSignal.any([limit.signal, outer]));
  } catch (error) {
    throw error instanceof ModelFault ? new ProbeFailed(failureOf(error)) : error;
  } finally {
    limit.close();
  }
  await store.db.transaction().execute(async (trx) => {
    await answerTurn(trx, deliveryId, { ...NO_ANSWER, responseBody: 'ok' }, clock.nowIso());
    await endTurn(trx, deliveryId, clock.nowIso());
    await clearKeyRefusals(trx, provider.agentId);
  });
}

const LATE: DeliveryFailure = { errorType: 'unreachable', error: 'The provider did not answer in time' };

function failureOf({ kind, message }: ModelFault): DeliveryFailure {
  return { errorType: statusOf(kind), error: message };
}

/** A healthcheck found something wrong. */
export class ProbeFailed extends Error {
  override readonly name = 'ProbeFailed';
  readonly failure: DeliveryFailure;

  constructor(failure: DeliveryFailure) {
    super(failure.error);
    this.failure = failure;
  }
}
