import type { Answers } from '../../api/answers.ts';
import { texts } from '../../texts.ts';

export type Budget = Answers['GET /api/usage']['budgets'][number];

const t = texts.budgets;
const SPANS = ['hour', 'day'] as const;
/** As 20M. */
const SHORT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** What was used of each budget, in this hour and on this day. */
export function BudgetTable({
  of,
  nameOf,
}: {
  readonly of: readonly Budget[];
  nameOf?(budget: Budget): string;
}) {
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
                const text = `${SHORT.format(used)} / ${SHORT.format(limit)}`;
                return (
                  <td key={span} class={`digits${used >= limit * 0.8 ? ' warn-text' : ''}`}>
                    {text}
                  </td>
                );
              })}
            </tr>
          )),
        )}
      </tbody>
    </table>
  );
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
