import type { Answers } from '../api/answers.ts';
import { BASE_PATH } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Chart } from '../parts/chart.tsx';
import { Source } from '../parts/copy.tsx';
import { Card, Facts, Loaded, PageHead, Row, Rows } from '../parts/layout.tsx';
import { Moment } from '../parts/moment.tsx';
import { Badge } from '../parts/state.tsx';
import { texts } from '../texts.ts';
import { t } from './operator.texts.ts';

type View = Answers['GET /api/operator'];
type Sample = View['metrics'][number];

/** How the gateway itself is. */
export function OperatorPage() {
  const ready = useAnswer('GET /readyz', { everyMs: 5_000 });
  const isReady = ready.data?.status === 'ready';
  const view = useAnswer('GET /api/operator', { everyMs: 10_000 });
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
  const times = metrics.map(({ at }) => Date.parse(at) / 1000);
  return (
    <>
      <div class="columns">
        {t.charts.map(([figure, title]) => (
          <Card key={figure} title={title}>
            <Chart
              label={title}
              times={times}
              series={[{ label: title, values: metrics.map(FIGURES[figure]) }]}
            />
          </Card>
        ))}
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
            {({ message, provider, error_detail: error, suggestion_shown: suggestion, created_at: at }) => (
              <Row
                key={at}
                title={message}
                note={<Moment iso={at} />}
                below={<p class="small">{[provider, error, suggestion].filter(Boolean).join(' · ')}</p>}
              />
            )}
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

type Figure = (sample: Sample, at: number, all: readonly Sample[]) => number | null;

/** What the charts show: values as they are, or by how much totals grew since the sample before. */
const FIGURES = {
  calls: ({ calls }) => calls,
  memory: ({ memory_bytes: bytes }) => bytes / 1024 ** 2,
  cores: rate('cpu_seconds'),
  requests: rate('requests'),
  refused: rate('refused_calls'),
  lateness: (now, at, all) => {
    const before = all[at - 1];
    if (before === undefined || now.ticks <= before.ticks) return null;
    return ((now.late_seconds - before.late_seconds) * 1_000) / (now.ticks - before.ticks);
  },
} satisfies Record<(typeof t.charts)[number][0], Figure>;

/** Per second. */
function rate(total: 'cpu_seconds' | 'requests' | 'refused_calls'): Figure {
  return (now, at, all) => {
    const before = all[at - 1];
    if (before === undefined || now[total] < before[total]) return null;
    return ((now[total] - before[total]) * 1_000) / (Date.parse(now.at) - Date.parse(before.at));
  };
}

function figuresOf(metrics: readonly Sample[]) {
  const last = metrics.length - 1;
  return t.charts.map(([figure, title]) => {
    const value = last < 0 ? null : FIGURES[figure](metrics[last]!, last, metrics);
    return (
      value !== null && ([title, value.toLocaleString(undefined, { maximumFractionDigits: 2 })] as const)
    );
  });
}
