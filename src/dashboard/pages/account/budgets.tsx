import type { Answers } from '../../api/answers.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { texts } from '../../texts.ts';
import { t } from './budgets.texts.ts';

export type Budget = Answers['GET /api/usage']['budgets'][number];

const SPANS = ['hour', 'day'] as const;
/** As 20M. */
const SHORT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

interface BudgetTableProps {
  readonly of: readonly Budget[];
  nameOf?(budget: Budget): string;
}

/** What was used of each budget, in this hour and on this day. */
export function BudgetTable({ of, nameOf }: BudgetTableProps) {
  return (
    <table>
      <thead>
        <tr>
          {nameOf && <th scope="col">{texts.name}</th>}
          <th scope="col">{t.title}</th>
          {SPANS.map((span) => (
            <th key={span} scope="col">
              {t.spans[span]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {of.flatMap((budget) =>
          t.resources.map(([resource, name], at) => (
            <tr key={`${budget.agent_id} ${resource}`}>
              {nameOf && at === 0 && <td rowSpan={t.resources.length}>{nameOf(budget)}</td>}
              <th scope="row">{name}</th>
              {SPANS.map((span) => {
                const { used, limit } = budget[span][resource];
                const look = used >= limit * 0.8 ? 'digits warn-text' : 'digits';
                return <td class={look}>{`${SHORT.format(used)} / ${SHORT.format(limit)}`}</td>;
              })}
            </tr>
          )),
        )}
      </tbody>
    </table>
  );
}

/** Returns what says whose a budget is. */
export function useBudgetName(): (budget: Budget) => string {
  const agents = useAnswer('GET /api/agents');
  return ({ agent_id: id }) => agents.data?.agents.find((each) => each.id === id)?.name ?? t.account;
}

/** The budgets of which 80 % or more are used, in words. */
export function spentBudgets(budgets: readonly Budget[], nameOf: (budget: Budget) => string): string[] {
  return budgets.flatMap((budget) =>
    t.resources.flatMap(([resource, name]) =>
      SPANS.flatMap((span) => {
        const { used, limit } = budget[span][resource];
        const percent = Math.floor((used * 100) / Math.max(1, limit));
        return used >= limit * 0.8 ? [t.spent(nameOf(budget), name, t.spans[span], percent)] : [];
      }),
    ),
  );
}
