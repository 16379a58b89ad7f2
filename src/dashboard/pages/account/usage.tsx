import { useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Chart } from '../../parts/chart.tsx';
import { Input } from '../../parts/form.tsx';
import { Card, Facts, Read } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';
import { t } from '../account.texts.ts';

type Day = Answers['GET /api/usage']['days'][number];
type Amount = Exclude<keyof Day, 'day' | 'platform'>;

const DAY_S = 86_400;

/** What the account used, day by day. */
export function UsageCard() {
  const [days, setDays] = useState('30');
  const [chosen, choose] = useState('minutes');
  const [amount, name] = t.amounts.find(([each]) => each === chosen) ?? t.amounts[0];
  const nameOf = useBudgetName();
  return (
    <Card title={t.usage} class="wide">
      <div class="grid">
        <Input label={t.period} type="choice" value={days} onValue={setDays} options={t.periods} />
        <Input label={t.amount} type="choice" value={chosen} onValue={choose} options={t.amounts} />
      </div>
      <Read from="GET /api/usage" query={{ days }}>
        {(data) => (
          <>
            <Facts
              isLarge
              of={t.amounts.map(([each, title]) => {
                const value = data.total[each];
                return [title, each === 'bytes' ? texts.bytes(value) : value.toLocaleString()];
              })}
            />
            <Chart
              label={t.chart(name)}
              bars
              times={everyDay(data.first_day, data.last_day)}
              series={[{ label: name, values: sums(data, amount) }]}
            />
            <BudgetTable of={data.budgets} nameOf={nameOf} />
          </>
        )}
      </Read>
    </Card>
  );
}

/** In seconds since 1970. */
function everyDay(first: string, last: string): number[] {
  const firstS = Date.parse(first) / 1000;
  const count = (Date.parse(last) / 1000 - firstS) / DAY_S + 1;
  return Array.from({ length: count }, (_, at) => firstS + at * DAY_S);
}

function sums(
  { first_day: first, last_day: last, days }: Answers['GET /api/usage'],
  amount: Amount,
): number[] {
  const byDay = Map.groupBy(days, ({ day }) => day);
  return everyDay(first, last).map((timeS) => {
    const day = new Date(timeS * 1000).toISOString().slice(0, 10);
    return (byDay.get(day) ?? []).reduce((sum, each) => sum + each[amount], 0);
  });
}

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
          <th scope="col">{t.budget.title}</th>
          {SPANS.map((span) => (
            <th key={span} scope="col">
              {t.budget.spans[span]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {of.flatMap((budget) =>
          t.budget.resources.map(([resource, name], at) => (
            <tr key={`${budget.agent_id} ${resource}`}>
              {nameOf && at === 0 && <td rowSpan={t.budget.resources.length}>{nameOf(budget)}</td>}
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
  return ({ agent_id: id }) => agents.data?.agents.find((each) => each.id === id)?.name ?? t.budget.account;
}

/** The budgets of which 80 % or more are used, in words. */
export function spentBudgets(budgets: readonly Budget[], nameOf: (budget: Budget) => string): string[] {
  return budgets.flatMap((budget) =>
    t.budget.resources.flatMap(([resource, name]) =>
      SPANS.flatMap((span) => {
        const { used, limit } = budget[span][resource];
        const percent = Math.floor((used * 100) / Math.max(1, limit));
        return used >= limit * 0.8
          ? [t.budget.spent(nameOf(budget), name, t.budget.spans[span], percent)]
          : [];
      }),
    ),
  );
}
