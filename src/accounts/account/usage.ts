import { type AgentScope, reaches } from '../../base/scope.ts';
import { dayOf, isoAfter } from '../../base/time.ts';
import { type UsageDay, usageSince } from '../../store/people/usage.ts';
import type { BudgetView } from '../budgets/budgets.ts';
import type { AccountDomain } from './account-domain.ts';

const DAY_MS = 86_400_000;

/** An account's usage between two days, inclusive (YYYY-MM-DD, UTC). */
export interface Usage {
  readonly firstDay: string;
  readonly lastDay: string;
  readonly days: readonly UsageDay[];
  /** Of the account, then of the scope's agents. */
  readonly budgets: readonly BudgetView[];
}

/** Returns the usage of the last `dayCount` days, including today, on the scope's platforms. */
export async function usageOf(domain: AccountDomain, scope: AgentScope, dayCount: number): Promise<Usage> {
  const nowIso = domain.clock.nowIso();
  const firstDay = dayOf(isoAfter(nowIso, -(dayCount - 1) * DAY_MS));
  const all = await usageSince(domain.store.db, scope.accountId, firstDay, nowIso);
  const days = all.filter(({ platform }) => reaches(scope, platform));
  const owners = [null, ...scope.agentIds];
  const budgets = owners.map((agentId) => domain.budgets.viewOf(scope.accountId, agentId));
  return { firstDay, lastDay: dayOf(nowIso), days, budgets };
}
