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
      series: [{}, ...series],
      axes: [axis, { ...axis, size: 56 }],
      legend: { show: names.length > 1 },
      cursor: { drag: { x: false, y: false } },
      scales: {
        y: { range: (_, _low, high) => [0, Math.max(1, high * 1.1)] },
      },
    },
    [[]],
    place,
  );
}
