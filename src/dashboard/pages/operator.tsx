import { useEffect, useState } from 'preact/hooks';
import { askText } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Badge } from '../parts/badge.tsx';
import { Chart } from '../parts/chart.tsx';
import { Source } from '../parts/copy.tsx';
import { Card, Facts, Loaded, PageHead } from '../parts/layout.tsx';
import { texts } from '../texts.ts';

const t = texts.operator;
const INTERVAL_MS = 5_000;
/** An hour. */
const MOST_SAMPLES = 720;

interface Sample {
  readonly timeS: number;
  readonly metrics: Metrics;
}

/** How the gateway itself is. What is drawn is gathered while the page is open. */
export function OperatorPage() {
  const ready = useAnswer('GET /readyz', {}, { everyMs: INTERVAL_MS });
  const { samples, text } = useSamples();
  const last = samples.at(-1)?.metrics;
  return (
    <>
      <PageHead title={texts.nav.operator} />
      <section class="card">
        <Loaded answer={ready}>
          {({ status, not_ready: reasons = [] }) => (
            <>
              <div class="row spread">
                <h2>{t.state}</h2>
                <Badge tone={status === 'ready' ? 'good' : 'bad'}>
                  {status === 'ready' ? t.ready : t.notReady}
                </Badge>
              </div>
              {reasons.map(({ name, reason }) => (
                <p key={name} class="banner bad">
                  {name}: {reason}
                </p>
              ))}
            </>
          )}
        </Loaded>
        {last && (
          <Facts isLarge of={t.figures.map(([name, title, unit]) => figure(last.sum(name), title, unit))} />
        )}
      </section>
      <div class="columns">
        {t.charts.map(({ title, metric, isRate, scale }) => (
          <Card key={metric} title={title}>
            <Chart
              label={title}
              times={samples.map(({ timeS }) => timeS)}
              series={[{ label: title, values: valuesOf(samples, metric, isRate, scale) }]}
            />
          </Card>
        ))}
      </div>
      {last && (
        <section class="card">
          <details>
            <summary>{t.all}</summary>
            <Source text={text} label={t.all} />
          </details>
        </section>
      )}
    </>
  );
}

function figure(value: number | null, title: string, unit: string) {
  if (value === null) return false;
  return [title, unit === 'bytes' ? texts.bytes(value) : Math.round(value).toLocaleString()] as const;
}

/** The readings so far, and the text of the last one. */
function useSamples(): { readonly samples: readonly Sample[]; readonly text: string } {
  const [text, setText] = useState('');
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useEffect(() => {
    const read = async (): Promise<void> => {
      const answer = await askText('/metrics');
      const metrics = parseMetrics(answer);
      setText(answer);
      setSamples((former) => [...former, { timeS: Date.now() / 1000, metrics }].slice(-MOST_SAMPLES));
    };
    // While the gateway does not answer, the chart has a gap.
    const quietly = (): void => void read().catch(() => {});
    quietly();
    const timer = setInterval(quietly, INTERVAL_MS);
    return () => clearInterval(timer);
  }, []);
  return { samples, text };
}

/** `isRate`: by how much it grew in each second since the sample before. */
function valuesOf(
  samples: readonly Sample[],
  metric: string,
  isRate: boolean,
  scale: number,
): (number | null)[] {
  return samples.map(({ timeS, metrics }, at) => {
    const value = metrics.sum(metric);
    if (value === null || !isRate) return value === null ? null : value * scale;
    const before = samples[at - 1];
    const former = before?.metrics.sum(metric) ?? null;
    if (!before || former === null || value < former) return null;
    return ((value - former) * scale) / (timeS - before.timeS);
  });
}

/** One reading of `/metrics`. */
export interface Metrics {
  /** A metric, summed over its labels; null if there is none. */
  sum(name: string): number | null;
}

/** Reads Prometheus text. */
export function parseMetrics(text: string): Metrics {
  const sums = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const name = line.slice(0, line.search(/[{ ]/));
    const value = Number(line.slice(line.lastIndexOf(' ') + 1));
    sums.set(name, (sums.get(name) ?? 0) + value);
  }
  return { sum: (name) => sums.get(name) ?? null };
}
