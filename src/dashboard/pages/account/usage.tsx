import { useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { Chart } from '../../parts/chart.tsx';
import { Input } from '../../parts/form.tsx';
import { Card, Facts, Read } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';
import { t } from '../account.texts.ts';
import { BudgetTable, useBudgetName } from './budgets.tsx';

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
