import type { Answers } from '../api/answers.ts';
import { BASE_PATH } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Chart } from '../parts/chart.tsx';
import { Source } from '../parts/copy.tsx';
import { Card, Facts, Loaded, PageHead } from '../parts/layout.tsx';
import { Row, Rows } from '../parts/list.tsx';
import { Badge, Moment } from '../parts/value.tsx';
import { texts } from '../texts.ts';
import { t } from './operator.texts.ts';

type View = Answers['GET /api/operator'];
type Sample = View['metrics'][number];

/** How the gateway itself is. */
export function OperatorPage() {
  const ready = useAnswer('GET /readyz', {}, { everyMs: 5_000 });
  const isReady = ready.data?.status === 'ready';
  const view = useAnswer('GET /api/operator', {}, { everyMs: 10_000 });
  return (
    <>
      <PageHead title={texts.pages.operator} />
      <Card
        title={t.state}
        action={<Badge tone={isReady ? 'good' : 'bad'}>{isReady ? t.ready : t.notReady}</Badge>}
      >
        {ready.data?.not_ready?.map(({ name, reason }) => (
          <p key={name} class="banner bad">
            {name}: {reason}
          </p>
        ))}
        <Loaded answer={view}>
          {({ version, node, data_dir: folder, started_at: started, metrics }) => (
            <>
              <Facts isLarge of={figuresOf(metrics)} />
              <Facts
                of={[
                  [t.version, `${version}, Node ${node}`],
                  [t.folder, folder],
                  [t.started, <Moment iso={started} />],
                  [t.all, <a href={`${BASE_PATH}/metrics`}>/metrics</a>],
                ]}
              />
            </>
          )}
        </Loaded>
      </Card>
      {view.data && <Details {...view.data} />}
    </>
  );
}

function Details({ metrics, accounts, accounts_total: total, log, feedback }: View) {
  const times = metrics.map(secondsOf);
  return (
    <>
      <div class="columns">
        {NAMES.map((name) => {
          const label = t.charts[name];
          const values = metrics.map((now, at) => FIGURES[name](now, metrics[at - 1]));
          return (
            <Card key={name} title={label}>
              <Chart label={label} times={times} series={[{ label, values }]} />
            </Card>
          );
        })}
        <Card title={t.accounts(total)}>
          <Rows of={accounts} class="scrolling">
            {({ account_id: id, name, email, created_at: at, live_calls: calls }) => (
              <Row key={id} title={email ?? name} note={<Moment iso={at} />}>
                {calls > 0 && <Badge tone="good">{t.liveCalls(calls)}</Badge>}
              </Row>
            )}
          </Rows>
        </Card>
        <Card title={t.feedback}>
          <Rows of={feedback} class="scrolling">
            {({ message, provider, error_detail: error, suggestion_shown: suggestion, created_at: at }) => {
              const below = <p class="small">{[provider, error, suggestion].filter(Boolean).join(' · ')}</p>;
              return <Row key={at} title={message} note={<Moment iso={at} />} below={below} />;
            }}
          </Rows>
        </Card>
      </div>
      <Card title={t.log}>
        <Source text={log.map(lineOf).toReversed().join('\n')} label={t.log} />
      </Card>
    </>
  );
}

/** A line of the log as people read it: when, how bad, which part, what, and the details. */
function lineOf(json: string): string {
  try {
    const { time, level, part, msg, ...details } = JSON.parse(json) as Record<string, string>;
    return `${time?.slice(11, 19)} ${level} ${part}: ${msg} ${Object.keys(details).length > 0 ? JSON.stringify(details) : ''}`;
  } catch {
    return json;
  }
}

type Figure = (now: Sample, before: Sample | undefined) => number | null;

const secondsOf = ({ at }: Sample): number => Date.parse(at) / 1_000;

/** What the charts show: values as they are, or by how much totals grew since the sample before. */
const FIGURES: Readonly<Record<keyof typeof t.charts, Figure>> = {
  calls: ({ calls }) => calls,
  cores: growth('cpu_seconds', secondsOf),
  lateness: growth('late_seconds', ({ ticks }) => ticks / 1_000),
  refused: growth('refused_calls', secondsOf),
  requests: growth('requests', secondsOf),
  memory: ({ memory_bytes: bytes }) => bytes / 1024 ** 2,
};
const NAMES = Object.keys(t.charts) as (keyof typeof t.charts)[];

/** Per second or the like; null: unknown, as after a restart. */
function growth(
  total: 'cpu_seconds' | 'late_seconds' | 'refused_calls' | 'requests',
  per: (sample: Sample) => number,
): Figure {
  return (now, before) => {
    if (before === undefined || now[total] < before[total] || per(now) <= per(before)) return null;
    return (now[total] - before[total]) / (per(now) - per(before));
  };
}

function figuresOf(metrics: readonly Sample[]) {
  const now = metrics.at(-1);
  return NAMES.map((name) => {
    const value = now && FIGURES[name](now, metrics.at(-2));
    return value != null && ([t.charts[name], value.toLocaleString(undefined, TWO_DIGITS)] as const);
  });
}

const TWO_DIGITS = { maximumFractionDigits: 2 };
