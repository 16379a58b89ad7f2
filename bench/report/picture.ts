import { writeFileSync } from 'node:fs';
import type { Measure } from '../bench.ts';
import { Canvas, type Color } from '../drawing/canvas.ts';
import { Font } from '../drawing/font.ts';
import { type Attainment, attainmentOf, xOf } from './attainment.ts';
import { judge } from './judgement.ts';
import type { Results } from './results.ts';
import { figure, targetText } from './table.ts';

const BACKGROUND: Color = [248, 249, 251];
const INK: Color = [30, 36, 50];
const FAINT_INK: Color = [104, 112, 130];
const GRID: Color = [226, 230, 237];
const PANEL: Color = [255, 255, 255];
const BORDER: Color = [205, 210, 220];
const REACHED: Color = [22, 148, 92];
const MISSED: Color = [214, 78, 42];
const WHISKER: Color = [60, 66, 82];

const WIDTH = 1_800;
const LEFT = 60;
const NAME_LEFT = 200;
const PLOT = { left: 760, width: 640 } as const;
const FIGURES_LEFT = 1_424;
const HEADER_HEIGHT = 168;
const ROW_HEIGHT = 46;
const FOOTER_HEIGHT = 76;
const BAR_HEIGHT = 22;
const MARKS = [0.1, 0.2, 0.5, 1, 2, 5, 10] as const;

interface Row {
  readonly bench: string;
  readonly measure: Measure;
  readonly attainment: Attainment | null;
}

/** Draws one bar per target. A bar to the right of the line means that the target is reached; its length says by how much. */
export function drawResults(path: string, results: Results, names: readonly string[]): void {
  const rows = names.flatMap((bench) =>
    (results[bench]?.measures ?? [])
      .filter(({ target }) => target !== undefined)
      .map((measure): Row => ({ bench, measure, attainment: attainmentOf(measure) })),
  );
  const bottom = HEADER_HEIGHT + rows.length * ROW_HEIGHT;
  const canvas = new Canvas(WIDTH, bottom + FOOTER_HEIGHT, BACKGROUND);
  const fonts = { title: new Font('title-font.png', 39), label: new Font('label-font.png', 26) };
  const judged = rows.filter(({ attainment }) => attainment !== null);
  const reached = judged.filter(({ measure }) => judge(measure).reached).length;
  canvas.text(`${reached} of ${judged.length} targets reached`, LEFT, 34, { font: fonts.title, color: INK });
  canvas.text(subtitle(results), LEFT, 82, { font: fonts.label, color: FAINT_INK });
  drawGrid(canvas, fonts.label, bottom);
  rows.forEach((row, index) => {
    const top = HEADER_HEIGHT + index * ROW_HEIGHT;
    if (rows[index - 1]?.bench !== row.bench) drawName(canvas, fonts.label, row.bench, top);
    drawRow(canvas, fonts.label, row, top);
  });
  const footnote = 'How many times better than the target, on a logarithmic scale. Thin line: the rounds.';
  canvas.text(footnote, LEFT, bottom + 26, { font: fonts.label, color: FAINT_INK });
  writeFileSync(path, canvas.png());
}

function subtitle(results: Results): string {
  const last = Object.values(results)
    .toSorted((a, b) => a.date.localeCompare(b.date))
    .at(-1);
  if (last === undefined) return 'nothing was measured';
  const { processor, cores, node } = last.surroundings;
  return `${ascii(processor)}, ${cores} cores · Node ${node} · ${last.date.slice(0, 10)} · ${ascii(last.cores)}`;
}

function drawGrid(canvas: Canvas, font: Font, bottom: number): void {
  const top = HEADER_HEIGHT - 8;
  const height = bottom - top;
  canvas.fill({ left: PLOT.left - 1, top: top - 1, width: PLOT.width + 2, height: height + 2 }, BORDER);
  canvas.fill({ ...PLOT, top, height }, PANEL);
  for (const mark of MARKS) {
    const x = Math.round(xOf(mark, PLOT));
    canvas.fill({ left: x, top, width: mark === 1 ? 2 : 1, height }, mark === 1 ? INK : GRID);
    const align = mark === 0.1 ? 'left' : mark === 10 ? 'right' : 'middle';
    const label = mark === 1 ? 'target' : `${mark}`;
    canvas.text(label, x, top - 34, { font, color: mark === 1 ? INK : FAINT_INK, align });
  }
}

function drawName(canvas: Canvas, font: Font, bench: string, top: number): void {
  canvas.fill({ left: LEFT, top: top - 6, width: PLOT.left - LEFT - 1, height: 1 }, BORDER);
  canvas.text(ascii(bench), LEFT, top + 4, { font, color: INK });
}

function drawRow(canvas: Canvas, font: Font, { measure, attainment }: Row, top: number): void {
  const against = measure.anchor === undefined ? '' : `, against ${measure.anchor.name}`;
  canvas.text(fitted(font, ascii(measure.name + against)), NAME_LEFT, top + 4, { font, color: FAINT_INK });
  if (attainment !== null) drawBar(canvas, attainment, top + (ROW_HEIGHT - BAR_HEIGHT) / 2 - 4);
  const color = attainment === null ? FAINT_INK : judge(measure).reached ? REACHED : MISSED;
  canvas.text(figures(measure), FIGURES_LEFT, top + 4, { font, color });
}

function drawBar(canvas: Canvas, { value, lowest, highest }: Attainment, top: number): void {
  const [middle, end] = [Math.round(xOf(1, PLOT)), Math.round(xOf(value, PLOT))];
  const [from, to] = [Math.min(middle, end), Math.max(middle + 2, end)];
  const bar = { left: from, top, width: to - from, height: BAR_HEIGHT };
  canvas.fill(bar, value >= 1 ? REACHED : MISSED);
  const [low, high] = [Math.round(xOf(lowest, PLOT)), Math.round(xOf(highest, PLOT))];
  canvas.fill({ left: low, top: top + BAR_HEIGHT / 2 - 1, width: high - low + 1, height: 2 }, WHISKER);
  for (const left of [low, high]) {
    canvas.fill({ left, top: top + 5, width: 2, height: BAR_HEIGHT - 10 }, WHISKER);
  }
}

function figures(measure: Measure): string {
  const { ours, ratio } = judge(measure);
  const { anchor, target, unit } = measure;
  if (target === undefined) return '';
  if (anchor === undefined) return ascii(`${figure(ours)} ${unit}, target ${targetText(target, ' ').trim()}`);
  return ratio === null ? 'no anchor' : `${figure(ratio)} x, target ${targetText(target, '')}`;
}

/** Cuts text to the room left of the plot. */
function fitted(font: Font, text: string): string {
  const room = PLOT.left - NAME_LEFT - 16;
  if (font.widthOf(text) <= room) return text;
  let cut = text;
  while (font.widthOf(`${cut}...`) > room) cut = cut.slice(0, -1);
  return `${cut}...`;
}

/** Replaces characters that the fonts lack. */
function ascii(text: string): string {
  return text.replace(
    /[^\x20-\x7e→−·]/g,
    (letter) => ({ µ: 'u', '×': 'x', '≥': '>=', '≤': '<=' })[letter] ?? '?',
  );
}
