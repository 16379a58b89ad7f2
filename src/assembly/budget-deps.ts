import { Budgets } from '../accounts/budgets/budgets.ts';
import { tellOfBudget } from '../accounts/budgets/tell-owner.ts';
import type { Mailer } from '../accounts/mail/mailer.ts';
import type { PartDeps } from './gateway-deps.ts';

/** Opens the budgets of all agents. `mailer` is called when somebody is to be told. */
export async function openBudgets(
  { store: { db }, clock, settings, wakeups, events }: PartDeps,
  mailer: () => Mailer,
): Promise<Budgets> {
  return await Budgets.load({
    db,
    clock,
    hourly: settings.budget,
    onNotice(notice) {
      events.budgetUsed(notice);
      const wake = (accountId: string): void => wakeups.wake(accountId);
      tellOfBudget({ db, clock, mailer: mailer(), wake }, notice).catch((error: unknown) =>
        events.writeFailed('an event about a budget', error),
      );
    },
  });
}
