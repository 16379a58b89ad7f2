import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { texts } from '../texts.ts';
import { attempt } from './action.tsx';

interface ChartProps {
  /** What it shows, for those who do not see it. */
  readonly label: string;
  /** In seconds since 1970. */
  readonly times: readonly number[];
  readonly series: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
  readonly bars?: boolean;
}

const HEIGHT = 200;
const STROKES = ['--accent', '--good', '--warn'] as const;

/** Charts take their colours when they are made. */
const darkness = matchMedia('(prefers-color-scheme: dark)');
const isDark = signal(darkness.matches);
darkness.addEventListener('change', ({ matches }) => {
  isDark.value = matches;
});

/** Figures over time. What draws them is loaded with the first chart. */
export function Chart({ label, times, series, bars = false }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const names = series.map((each) => each.label).join();

  useEffect(() => {
    const box = place.current!;
    let isGone = false;
    const resize = new ResizeObserver(() =>
      plot.current?.setSize({ width: box.clientWidth, height: HEIGHT }),
    );
    const draw = async (): Promise<void> => {
      const { makePlot } = await import('./plot.ts').catch(() => {
        throw new Error(texts.outdated);
      });
      if (isGone) return;
      const colors = STROKES.map((name) => colorOf(box, name));
      const [quiet, line] = [colorOf(box, '--quiet'), colorOf(box, '--line')];
      plot.current = makePlot(box, { names: names.split(','), colors, quiet, line, bars, height: HEIGHT });
      fill(plot.current, times, series);
      resize.observe(box);
    };
    void attempt(draw);
    return () => {
      isGone = true;
      resize.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [names, bars, isDark.value]);

  useEffect(() => fill(plot.current, times, series), [times, series]);
  return <div ref={place} class="chart" role="img" aria-label={label} />;
}

/** A single point has no span that could be drawn. */
function fill(plot: uPlot | null, times: ChartProps['times'], series: ChartProps['series']): void {
  if (times.length > 1) plot?.setData([[...times], ...series.map(({ values }) => [...values])]);
}

/** A colour of the style as a canvas takes it. */
function colorOf(place: HTMLElement, name: string): string {
  place.style.color = `var(${name})`;
  const { color } = getComputedStyle(place);
  place.style.color = '';
  return color;
}
