import { useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Chart } from '../../parts/chart.tsx';
import { Input } from '../../parts/form.tsx';
import { Card, Facts, Read } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';
import { t } from '../account.texts.ts';

type Usage = Answers['GET /api/usage'];
type Amount = keyof typeof t.amounts;

const AMOUNTS = Object.keys(t.amounts) as Amount[];
const DAY_S = 86_400;

/** What the account used, day by day. */
export function UsageCard() {
  const [days, setDays] = useState('30');
  const [amount, choose] = useState<string>('minutes');
  const nameOf = useBudgetName();
  const label = t.amounts[amount as Amount];
  return (
    <Card title={t.usage} class="wide">
      <div class="grid">
        <Input label={t.period} value={days} onValue={setDays} options={t.periods} />
        <Input label={t.amount} value={amount} onValue={choose} options={t.amounts} />
      </div>
      <Read from="GET /api/usage" with={{ days }}>
        {(usage) => (
          <>
            <Facts
              isLarge
              of={AMOUNTS.map((each) => {
                const value = usage.total[each];
                return [t.amounts[each], each === 'bytes' ? texts.bytes(value) : value.toLocaleString()];
              })}
            />
            <Chart
              label={t.chart(label)}
              bars
              times={daysOf(usage)}
              series={[{ label, values: sums(usage, amount as Amount) }]}
            />
            <BudgetTable of={usage.budgets} nameOf={nameOf} />
          </>
        )}
      </Read>
    </Card>
  );
}

/** In seconds since 1970. */
function daysOf({ first_day: first, last_day: last }: Usage): number[] {
  const firstS = Date.parse(first) / 1000;
  const count = (Date.parse(last) / 1000 - firstS) / DAY_S + 1;
  return Array.from({ length: count }, (_, at) => firstS + at * DAY_S);
}

function sums(usage: Usage, amount: Amount): number[] {
  const byDay = Map.groupBy(usage.days, ({ day }) => Date.parse(day) / 1000);
  return daysOf(usage).map((day) => (byDay.get(day) ?? []).reduce((sum, each) => sum + each[amount], 0));
}

export type Budget = Usage['budgets'][number];

const SPANS = ['hour', 'day'] as const;
const RESOURCES = Object.keys(t.budget.resources) as (keyof typeof t.budget.resources)[];
/** Of a limit, from which on people are warned. */
const MUCH = 0.8;
/** As 20M. */
const SHORT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

interface BudgetTableProps {
  readonly of: readonly Budget[];
  nameOf?(budget: Budget): string;
}

/** What was used of each budget, in this hour and on this day. */
export function BudgetTable({ of, nameOf }: BudgetTableProps) {
  const heads = [
    ...(nameOf ? [texts.name] : []),
    t.budget.title,
    ...SPANS.map((span) => t.budget.spans[span]),
  ];
  return (
    <table>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {of.flatMap((budget) =>
          RESOURCES.map((resource, at) => (
            <tr key={`${budget.agent_id} ${resource}`}>
              {nameOf && at === 0 && <td rowSpan={RESOURCES.length}>{nameOf(budget)}</td>}
              <th scope="row">{t.budget.resources[resource]}</th>
              {SPANS.map((span) => {
                const { used, limit } = budget[span][resource];
                const look = used >= limit * MUCH ? 'digits warn-text' : 'digits';
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

/** The budgets of which much is used, in words. */
export function spentBudgets(budgets: readonly Budget[], nameOf: (budget: Budget) => string): string[] {
  return budgets.flatMap((budget) =>
    RESOURCES.flatMap((resource) =>
      SPANS.flatMap((span) => {
        const { used, limit } = budget[span][resource];
        const percent = Math.floor((used * 100) / Math.max(1, limit));
        const words = [t.budget.resources[resource], t.budget.spans[span]] as const;
        return used >= limit * MUCH ? [t.budget.spent(nameOf(budget), ...words, percent)] : [];
      }),
    ),
  );
}
