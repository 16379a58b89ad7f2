import { useSignal } from '@preact/signals';
import type { Answers } from '../../api/answers.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Chart } from '../../parts/chart.tsx';
import { Choice } from '../../parts/form.tsx';
import { Card, Facts, Loaded } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';
import { type Budget, BudgetTable } from './budgets.tsx';

type Day = Answers['GET /api/usage']['days'][number];
type Amount = Exclude<keyof Day, 'day' | 'platform'>;

const t = texts.usage;
const DAY_S = 86_400;

/** What the account used, day by day. */
export function UsageCard() {
  const days = useSignal('30');
  const chosen = useSignal<string>('minutes');
  const amount = chosen.value as Amount;
  const usage = useAnswer('GET /api/usage', { query: { days: days.value } });
  const agents = useAnswer('GET /api/agents');
  const nameOf = ({ agent_id: id }: Budget): string =>
    agents.data?.agents.find((each) => each.id === id)?.name ?? texts.budgets.account;
  return (
    <Card title={t.title} class="wide">
      <div class="grid">
        <Choice label={t.period} of={days} options={t.periods} />
        <Choice label={t.amount} of={chosen} options={t.amounts} />
      </div>
      <Loaded answer={usage}>
        {(data) => (
          <>
            <Facts
              isLarge
              of={t.amounts.map(([name, title]) => {
                const value = data.total[name];
                return [title, name === 'bytes' ? texts.bytes(value) : value.toLocaleString()];
              })}
            />
            <Chart
              label={t.chart(t.amounts.find(([name]) => name === amount)?.[1] ?? '')}
              bars
              times={everyDay(data.first_day, data.last_day)}
              series={[
                { label: t.amounts.find(([name]) => name === amount)?.[1] ?? '', values: sums(data, amount) },
              ]}
            />
            <BudgetTable of={data.budgets} nameOf={nameOf} />
          </>
        )}
      </Loaded>
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
