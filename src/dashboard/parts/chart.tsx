import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { texts } from '../texts.ts';
import { attempt } from './button.tsx';

interface ChartProps {
  /** What it shows, for those who do not see it. */
  readonly label: string;
  /** In seconds since 1970. */
  readonly times: readonly number[];
  readonly series: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
  /** Of days, which are in UTC. */
  readonly bars?: boolean;
}

const HEIGHT = 200;
const COLORS = ['--accent', '--good', '--warn'] as const;
const darkness = matchMedia('(prefers-color-scheme: dark)');

/** Figures over time. What draws them is loaded with the first chart. */
export function Chart({ label, times, series, bars = false }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const names = series.map((each) => each.label).join();

  useEffect(() => {
    const box = place.current!;
    const resize = new ResizeObserver(() =>
      plot.current?.setSize({ width: box.clientWidth, height: HEIGHT }),
    );
    let isGone = false;
    const redraw = (): void => plot.current?.redraw();
    const draw = async (): Promise<void> => {
      const { default: UPlot } = await import('uplot').catch(() => {
        throw new Error(texts.outdated);
      });
      if (isGone) return;
      const bar = bars ? UPlot.paths.bars!({ size: [0.7, 24] }) : undefined;
      const inUtc = (seconds: number): Date => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC');
      const options = optionsOf(box, names.split(','), bar);
      plot.current = new UPlot({ ...options, ...(bars && { tzDate: inUtc }) }, [[]], box);
      fill(plot.current, times, series);
      resize.observe(box);
      darkness.addEventListener('change', redraw);
    };
    void attempt(draw);
    return () => {
      isGone = true;
      resize.disconnect();
      darkness.removeEventListener('change', redraw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [names, bars]);

  useEffect(() => fill(plot.current, times, series), [times, series]);
  return <div ref={place} class="chart" role="img" aria-label={label} />;
}

/** A single point has no span that could be drawn. */
function fill(plot: uPlot | null, times: ChartProps['times'], series: ChartProps['series']): void {
  if (times.length > 1) plot?.setData([[...times], ...series.map(({ values }) => [...values])]);
}

/** Of an empty chart. `bar` draws bars; without it, there are lines. */
function optionsOf(
  box: HTMLElement,
  names: readonly string[],
  bar?: uPlot.Series.PathBuilder,
): uPlot.Options {
  const ruled = { stroke: colorOf(box, '--line'), width: 1 };
  const axis: uPlot.Axis = { stroke: colorOf(box, '--quiet'), grid: ruled, ticks: ruled };
  const series = names.map((label, at) => {
    const stroke = colorOf(box, COLORS[at % COLORS.length]!);
    return { label, stroke, width: 2, points: { show: false }, ...(bar && { fill: stroke, paths: bar }) };
  });
  // Bars have a width, also the first and the last one.
  const marginS = bar ? DAY_S / 2 : 0;
  return {
    width: box.clientWidth,
    height: HEIGHT,
    padding: [null, 32, null, null],
    series: [{}, ...series],
    axes: [
      { ...axis, space: 90, values: timesOf },
      { ...axis, size: 56 },
    ],
    legend: { show: names.length > 1, live: false },
    cursor: { drag: { x: false, y: false } },
    scales: {
      x: { range: (_, low, high) => [low - marginS, high + marginS] },
      y: { range: (_, _low, high) => [0, Math.max(1, high * 1.1)] },
    },
  };
}

/** A colour of the style, as it is when something is drawn, as a canvas takes it. */
function colorOf(box: HTMLElement, name: string): () => string {
  return () => {
    box.style.color = `var(${name})`;
    const { color } = getComputedStyle(box);
    box.style.color = '';
    return color;
  };
}

const DAY_S = 86_400;
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const SECONDS = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** What stands at the ticks of the time axis. */
function timesOf(_: uPlot, ticks: readonly number[]): string[] {
  const stepS = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  const format = stepS >= DAY_S ? DAY : stepS >= 60 ? CLOCK : SECONDS;
  return ticks.map((tick) => format.format(tick * 1_000));
}
