import { reaches } from '../../base/scope.ts';
import { dayOf, isoAfter } from '../../base/time.ts';
import { listAgentIds } from '../../store/agents/agents.ts';
import { type UsageDay, usageSince } from '../../store/people/usage.ts';
import type { BudgetView } from '../budgets/budgets.ts';
import type { Viewer } from '../logins/platform-status.ts';
import type { AccountDomain } from './account-domain.ts';

const DAY_MS = 86_400_000;

/** An account's usage between two days, inclusive (YYYY-MM-DD, UTC). */
export interface Usage {
  readonly firstDay: string;
  readonly lastDay: string;
  readonly days: readonly UsageDay[];
  /** About how many bytes the account stores in the database now, and how many it may. */
  readonly stored: { readonly bytes: number; readonly mostBytes: number };
  /** Of the account, then of the viewer's agents. */
  readonly budgets: readonly BudgetView[];
}

/** Returns the usage of the last `dayCount` days, including today, on the viewer's platforms. */
export async function usageOf(domain: AccountDomain, viewer: Viewer, dayCount: number): Promise<Usage> {
  const nowIso = domain.clock.nowIso();
  const firstDay = dayOf(isoAfter(nowIso, -(dayCount - 1) * DAY_MS));
  const all = await usageSince(domain.store.db, viewer.accountId, firstDay, nowIso);
  const days = all.filter(({ platform }) => reaches(viewer, platform));
  const { quota } = domain.store;
  const stored = { bytes: quota.storedBy(viewer.accountId), mostBytes: quota.bytes };
  return { firstDay, lastDay: dayOf(nowIso), days, stored, budgets: await budgetsOf(domain, viewer) };
}

async function budgetsOf(
  { store, budgets }: AccountDomain,
  { accountId, agentIds }: Viewer,
): Promise<BudgetView[]> {
  const seen = agentIds ?? (await listAgentIds(store.db, accountId)).map(({ id }) => id);
  return [null, ...seen].map((agentId) => budgets.viewOf(accountId, agentId));
}
