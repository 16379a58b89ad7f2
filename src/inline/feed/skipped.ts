import { type BudgetNotice, spentText } from '../../accounts/budgets/budget.ts';
import type { DeliveryFailure } from '../../store/inline/deliveries.ts';

/** Why an event fails without a call of the model. */
export const KEY_REFUSED: DeliveryFailure = {
  errorType: 'key_refused',
  error:
    'The provider has refused the key 5 times in a row. The model is called again once the settings change or a healthcheck passes',
};

export const QUEUE_FULL: DeliveryFailure = {
  errorType: 'queue_full',
  error: '500 events wait for the model',
};

export const AGENT_LOOP: DeliveryFailure = {
  errorType: 'loop',
  error: 'Agents have written to each other 20 times in an hour in this conversation',
};

export const LOOP: DeliveryFailure = {
  errorType: 'loop',
  error:
    'A machine seems to answer this agent: its messages come faster than a person writes, are always the same, or say that nobody is there. The model is called again for it after 15 minutes',
};

export function budgetSpent(spent: Omit<BudgetNotice, 'percent'>): DeliveryFailure {
  return { errorType: 'budget_spent', error: spentText(spent) };
}

/** The turn could not begin in time. */
export const TOO_BUSY: DeliveryFailure = {
  errorType: 'overloaded',
  error: 'Too many turns of models were under way',
};

export const NO_PROVIDER: DeliveryFailure = {
  errorType: 'no_provider',
  error: 'The agent has no provider any more',
};
