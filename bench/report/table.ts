import type { Measure, Target } from '../bench.ts';
import { judge } from './judgement.ts';
import type { Results } from './results.ts';

const HEADINGS = ['bench', 'measure', 'ours', 'anchor', '', 'ratio', 'of the rounds', 'target', 'reached'];
const RIGHT_ALIGNED = new Set([2, 3, 5]);

/** One line a measure; below them what they do not say: notes, missing anchors, failures. */
export function renderTable(results: Results, names: readonly string[]): string {
  const rows: string[][] = [HEADINGS];
  const notes: string[] = [];
  for (const name of names) {
    const result = results[name];
    if (result === undefined) continue;
    if (result.failure !== undefined) rows.push([name, `FAILED: ${firstLine(result.failure)}`]);
    for (const measure of result.measures) {
      rows.push(rowOf(name, measure));
      notes.push(...notesOf(name, measure));
    }
  }
  return [...layOut(rows), ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
}

function rowOf(bench: string, measure: Measure): string[] {
  const { anchor, target, unit } = measure;
  const { ours, anchor: beside, ratio, ratioSpread, reached } = judge(measure);
  return [
    bench,
    measure.name,
    `${figure(ours)} ${unit}`.trim(),
    beside === null ? '' : `${figure(beside)} ${unit}`.trim(),
    anchor === undefined ? '' : anchor.name + ('missing' in anchor ? ' (missing)' : ''),
    ratio === null ? '' : ratio.toFixed(2),
    ratioSpread === null ? '' : `${ratioSpread.lowest.toFixed(2)} to ${ratioSpread.highest.toFixed(2)}`,
    target === undefined ? '' : targetText(target, anchor === undefined ? unit : ''),
    reached === null ? '' : reached ? 'yes' : 'NO',
  ];
}

function notesOf(bench: string, { name, note, anchor }: Measure): string[] {
  const notes: string[] = [];
  if (anchor !== undefined && 'missing' in anchor) notes.push(`no ${anchor.name}: ${anchor.missing}`);
  if (note !== undefined) notes.push(note);
  return notes.map((text) => `${bench}, ${name}: ${text}`);
}

/** The unit is empty where a ratio is meant. */
export function targetText(target: Target, unit: string): string {
  const text = 'atLeast' in target ? `>= ${target.atLeast}` : `<= ${target.atMost}`;
  return unit === '' ? `${text} x` : `${text} ${unit}`;
}

/** Three significant digits, whole numbers from 100 on. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '-';
  return Math.abs(value) >= 100 ? value.toFixed(0) : `${Number(value.toPrecision(3))}`;
}

function layOut(rows: readonly string[][]): string[] {
  // A row of two cells is a failure, as long as it likes.
  const whole = rows.filter((row) => row.length > 2);
  const widths = HEADINGS.map((_, column) => Math.max(...whole.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return RIGHT_ALIGNED.has(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
  const rule = '-'.repeat(Math.max(...lines.map((line) => line.length)));
  return [lines[0] ?? '', rule, ...lines.slice(1)];
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
