import type { Clock } from '../../base/time.ts';
import type { Db } from '../../store/database/rows.ts';
import { appendAgentEvent, appendEvent } from '../../store/messages/events.ts';
import { findAccount } from '../../store/people/accounts.ts';
import type { Mailer } from '../mail/mailer.ts';
import { budgetSpentMail } from '../mail/mails.ts';
import { type BudgetNotice, spentText } from './budget.ts';

interface TellDeps {
  readonly db: Db;
  readonly clock: Pick<Clock, 'nowIso'>;
  readonly mailer: Pick<Mailer, 'later'>;
  /** Wakes the requests that wait for an event of the account. */
  readonly wake: (accountId: string) => void;
}

/** Tells an account that a budget is nearly used up, by an event; and that it is, by a mail as well. */
export async function tellOfBudget(deps: TellDeps, notice: BudgetNotice): Promise<void> {
  if (notice.percent === 100) mailOwner(deps, notice);
  await appendNotice(deps, notice);
  deps.wake(notice.accountId);
}

function mailOwner({ db, mailer }: TellDeps, notice: BudgetNotice): void {
  mailer.later(notice.accountId, async () => {
    const email = (await findAccount(db, notice.accountId))?.email ?? null;
    return email === null ? null : budgetSpentMail(email, spentText(notice));
  });
}

async function appendNotice({ db, clock }: TellDeps, notice: BudgetNotice): Promise<void> {
  const { accountId, agentId, scope, resource, span, percent, limit, endsAt } = notice;
  const payload = { scope, resource, span, percent, limit, ends_at: endsAt };
  const event = { accountId, type: 'budget', createdAt: clock.nowIso() };
  if (scope === 'account') await appendEvent(db, { ...event, agentId: null, payload });
  else await appendAgentEvent(db, { ...event, agentId, payload: { ...payload, agent_id: agentId } });
}
