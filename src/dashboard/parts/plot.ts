import uPlot from 'uplot';

interface Look {
  readonly names: readonly string[];
  readonly colors: readonly string[];
  readonly quiet: string;
  readonly line: string;
  readonly bars: boolean;
  readonly height: number;
}

/** An empty chart. */
export function makePlot(place: HTMLElement, { names, colors, quiet, line, bars, height }: Look): uPlot {
  const axis: uPlot.Axis = {
    stroke: quiet,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1 },
  };
  const paths = bars ? { paths: uPlot.paths.bars!({ size: [0.7, 24] }) } : {};
  const series = names.map((label, at) => {
    const color = colors[at % colors.length]!;
    return {
      label,
      stroke: color,
      width: 2,
      points: { show: false },
      ...(bars && { fill: color }),
      ...paths,
    };
  });
  return new uPlot(
    {
      width: place.clientWidth,
      height,
      // Bars are days, and those of the gateway are in UTC.
      ...(bars && { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC') }),
      series: [{}, ...series],
      axes: [
        { ...axis, space: 90, values: timesOf },
        { ...axis, size: 56 },
      ],
      legend: { show: names.length > 1, live: false },
      cursor: { drag: { x: false, y: false } },
      scales: {
        // Bars have a width, also the first and the last one.
        x: { range: (_, low, high) => (bars ? [low - DAY_S / 2, high + DAY_S / 2] : [low, high]) },
        y: { range: (_, _low, high) => [0, Math.max(1, high * 1.1)] },
      },
    },
    [[]],
    place,
  );
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
