import { GatewayError } from '../../base/errors.ts';
import type { MinuteBudget } from '../../calls/call-minutes.ts';
import type { Db } from '../../store/database/rows.ts';
import { spentText } from './budget.ts';
import type { Budgets } from './budgets.ts';

/** Calls under way may use a fifth more: time to say goodbye. */
const GRACE = 1.2;

/** Returns the budgets of minutes, as calls ask for them. */
export function minuteBudget(budgets: Budgets, db: Db): MinuteBudget {
  return {
    refusal(payer) {
      const spent = budgets.spent(payer, ['minutes']);
      return spent && new GatewayError('budget_spent', spentText(spent));
    },
    isOverdrawn: (payer) => budgets.isBeyond(payer, 'minutes', GRACE),
    count: (payer, callMs) => budgets.count(payer, { callMs }),
    save: (payer) => budgets.save(db, payer),
  };
}
