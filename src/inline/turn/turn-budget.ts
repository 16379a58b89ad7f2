import { spentText } from '../../accounts/budgets/budget.ts';
import type { Spender } from '../../accounts/budgets/budgets.ts';
import { GatewayError } from '../../base/errors.ts';
import type { AgentScope } from '../../base/scope.ts';
import type { ModelUsage } from '../../models/model-client.ts';
import type { Db } from '../../store/database/rows.ts';
import type { InlineDomain } from '../inline-domain.ts';
import type { Turn } from './open-turn.ts';

/** What a turn uses. */
export const MODEL_BUDGETS = ['turns', 'tokens'] as const;

/** Counts a call of an agent's model before it is made. Throws `budget_spent`. */
export function requireBudget({ budgets }: InlineDomain, { accountId, agentIds }: AgentScope): void {
  const spender: Spender = { accountId, agentId: agentIds[0]! };
  const spent = budgets.spent(spender, MODEL_BUDGETS);
  if (spent) throw new GatewayError('budget_spent', spentText(spent));
  budgets.count(spender, { turns: 1 });
}

/** Counts the tokens of a turn, and stores what the agent has used. Call it in the transaction that stores the reply. */
export async function saveUsage(
  { budgets }: InlineDomain,
  trx: Db,
  { place }: Turn,
  { inputTokens, outputTokens }: ModelUsage,
): Promise<void> {
  budgets.count(place, { tokens: (inputTokens ?? 0) + (outputTokens ?? 0) });
  await budgets.save(trx, place);
}
