import type { BudgetNotice, HourlyLimits } from '../../src/accounts/budgets/budget.ts';
import { Budgets } from '../../src/accounts/budgets/budgets.ts';
import type { Clock } from '../../src/base/time.ts';
import type { MinuteBudget } from '../../src/calls/call-minutes.ts';
import type { Store } from '../../src/store/store.ts';

/** More than a test uses. */
const PLENTY: HourlyLimits = { turns: 1e6, tokens: 1e9, minutes: 1e6 };

/** The budgets of a test's agents. `notices` gets what their owners are told. */
export async function budgetsOf(
  { db }: Pick<Store, 'db'>,
  clock: Pick<Clock, 'nowIso'>,
  { notices = [], ...hourly }: Partial<HourlyLimits> & { readonly notices?: BudgetNotice[] } = {},
): Promise<Budgets> {
  const onNotice = (notice: BudgetNotice): void => void notices.push(notice);
  return await Budgets.load({ db, clock, hourly: { ...PLENTY, ...hourly }, onNotice });
}

/** Calls may be as long as they like. */
export const NO_BUDGET: MinuteBudget = {
  refusal: () => null,
  isOverdrawn: () => false,
  count: () => {},
  save: async () => {},
};
