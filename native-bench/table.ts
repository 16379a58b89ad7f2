import { median, ratios, spread } from '../bench/report/statistics.ts';
import type { Figures } from './contest.ts';

export interface Entry {
  readonly program: string;
  readonly figures: Figures;
}

/**
 * A Markdown table of medians, lowest and highest in brackets, each beside the first program's: the ratio of medians,
 * and the ratios of single rounds in brackets. The longer list goes down the page.
 */
export function renderTable(entries: readonly Entry[]): string {
  const programs = entries.map(({ program }) => program);
  const figures = [...new Set(entries.flatMap((entry) => [...entry.figures.keys()]))];
  if (programs.length > figures.length)
    return grid(['', ...figures], programs, (row, column) => cell(entries, figures[column]!, row));
  return grid(['', ...programs], figures, (row, column) => cell(entries, figures[row]!, column));
}

function grid(
  header: readonly string[],
  rows: readonly string[],
  at: (row: number, column: number) => string,
): string {
  const lines = rows.map((name, row) => [name, ...header.slice(1).map((_, column) => at(row, column))]);
  const rule = ['---', ...header.slice(1).map(() => '--:')];
  return [header, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function cell(entries: readonly Entry[], figure: string, index: number): string {
  const values = entries[index]?.figures.get(figure);
  const reference = entries[0]?.figures.get(figure);
  if (!values) return '';
  // Decibels are ratios already.
  if (!reference || index === 0 || figure.endsWith('dB')) return withSpread(median(values), values);
  const ratio = withSpread(median(values) / median(reference), ratios(values, reference), ' ×');
  return `${short(median(values))}, ${ratio}`;
}

function withSpread(middle: number, values: readonly number[], unit = ''): string {
  const { lowest, highest } = spread(values);
  const text = short(middle) + unit;
  return short(lowest) === short(highest) ? text : `${text} (${short(lowest)}–${short(highest)})`;
}

/** Three digits that matter, none behind the thousandth. */
function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return Math.abs(value) >= 100 ? value.toFixed(0) : `${Number(Number(value.toPrecision(3)).toFixed(3))}`;
}
