import { dayOf, isoAfter } from '../base/time.ts';
import { type UsageDay, usageSince } from '../store/usage.ts';
import type { AccountDomain } from './account-domain.ts';

const DAY_MS = 86_400_000;

/** What an account did from one day to another, both included (YYYY-MM-DD, UTC). */
export interface Usage {
  readonly firstDay: string;
  readonly lastDay: string;
  readonly days: readonly UsageDay[];
}

/** The last `dayCount` days, today being the last. */
export async function usageOf(domain: AccountDomain, accountId: string, dayCount: number): Promise<Usage> {
  const nowIso = domain.clock.nowIso();
  const firstDay = dayOf(isoAfter(nowIso, -(dayCount - 1) * DAY_MS));
  const days = await usageSince(domain.store.db, accountId, firstDay, nowIso);
  return { firstDay, lastDay: dayOf(nowIso), days };
}
