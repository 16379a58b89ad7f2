import { writeFileSync } from 'node:fs';
import { Canvas, type Color } from '../drawing/canvas.ts';
import { Font } from '../drawing/font.ts';
import { type Axis, drawPanel, drawTimes, drawWave, type Panel, type Wave } from './panel.ts';

/** One voice, as sent (above) and as heard (below). */
export interface Passage {
  readonly title: string;
  readonly facts: string;
  readonly sent: Wave;
  readonly heard: Wave;
  /** The moment of sending that is magnified. */
  readonly onsetMs: number;
  readonly delayMs: number;
}

const BACKGROUND: Color = [248, 249, 251];
const INK: Color = [30, 36, 50];
const FAINT_INK: Color = [104, 112, 130];
const MARKER: Color = [200, 30, 70];
const PALETTES = [
  { peak: [147, 187, 247], rms: [37, 99, 235] },
  { peak: [251, 191, 146], rms: [222, 97, 20] },
] as const;

const WIDTH = 1_600;
const FOOTNOTE =
  'Light: from lowest to highest sample. Dark: RMS. Amplitudes are parts of full scale; time counts from the first frame sent.';

const HEADER_HEIGHT = 142;
const FOOTER_HEIGHT = 44;
const PASSAGE_HEIGHT = 506;
const HEADING_HEIGHT = 44;
const PANEL_HEIGHT = 180;
const PANEL_GAP = 14;
const LEFT = 104;
const RIGHT = 1_552;
const WHOLE_WIDTH = 960;
const ZOOM_LEFT = 1_150;
const ZOOM_BEFORE_MS = 50;
const MIN_ZOOM_AFTER_MS = 200;

/** Draws both voices, the whole conversation on the left and the moment of an onset, with its delay, on the right. */
export function drawPicture(
  path: string,
  headline: string,
  subtitle: string,
  passages: readonly Passage[],
): void {
  const canvas = new Canvas(
    WIDTH,
    HEADER_HEIGHT + passages.length * PASSAGE_HEIGHT + FOOTER_HEIGHT,
    BACKGROUND,
  );
  const fonts = { title: new Font('title-font.png', 39), label: new Font('label-font.png', 26) };
  canvas.text(headline, LEFT, 36, { font: fonts.title, color: INK });
  canvas.text(subtitle, LEFT, 84, { font: fonts.label, color: FAINT_INK });
  passages.forEach((passage, index) => {
    const top = HEADER_HEIGHT + index * PASSAGE_HEIGHT;
    drawPassage(canvas, passage, top, { font: fonts.label, ...PALETTES[index % PALETTES.length]! });
  });
  const footnote = canvas.height - FOOTER_HEIGHT - 20;
  canvas.text(FOOTNOTE, LEFT, footnote, { font: fonts.label, color: FAINT_INK });
  writeFileSync(path, canvas.png());
}

/** How a passage is drawn. */
interface Style {
  readonly font: Font;
  readonly peak: Color;
  readonly rms: Color;
}

function drawPassage(canvas: Canvas, passage: Passage, top: number, style: Style): void {
  const { font } = style;
  canvas.text(passage.title, LEFT, top, { font, color: INK });
  canvas.text(passage.facts, LEFT + WHOLE_WIDTH, top, { font, color: FAINT_INK, align: 'right' });
  canvas.text('Onset, magnified', ZOOM_LEFT, top, { font, color: INK });
  const rows = [passage.sent, passage.heard].map((wave, row) => ({
    wave,
    top: top + HEADING_HEIGHT + row * (PANEL_HEIGHT + PANEL_GAP),
  }));
  const whole = wholeAxis(passage);
  const zoom = zoomAxis(passage);
  for (const { wave, top } of rows) {
    const height = PANEL_HEIGHT;
    drawOne(canvas, wave, { axis: whole, top, height, gain: 1, amplitudes: true }, style);
    drawOne(canvas, wave, { axis: zoom, top, height, gain: gainOf(passage), amplitudes: false }, style);
  }
  const bottom = rows[1]!.top + PANEL_HEIGHT;
  for (const axis of [whole, zoom]) drawTimes(canvas, axis, bottom, { font, color: FAINT_INK });
  drawDelay(canvas, font, passage, top + HEADING_HEIGHT);
}

function drawOne(canvas: Canvas, wave: Wave, panel: Panel, { font, ...palette }: Style): void {
  drawPanel(canvas, font, panel, FAINT_INK);
  drawWave(canvas, panel, wave, palette);
  if (panel.amplitudes) {
    canvas.text(wave.label, panel.axis.left + 14, panel.top + 8, { font, color: palette.rms });
  }
}

/** Whole seconds from the first word that is sent. */
function wholeAxis({ sent, heard }: Passage): Axis {
  const lastMs = Math.max(endMs(sent), endMs(heard));
  const toMs = Math.floor(lastMs / 1000) * 1000 + (lastMs % 1000 > 500 ? 1000 : 0);
  return { left: LEFT, width: WHOLE_WIDTH, fromMs: 0, toMs, stepMs: 1_000, zeroMs: 0, unit: 's' };
}

function zoomAxis(passage: Passage): Axis {
  const { onsetMs } = passage;
  const afterMs = zoomAfterMs(passage);
  return {
    left: ZOOM_LEFT,
    width: RIGHT - ZOOM_LEFT,
    fromMs: onsetMs - ZOOM_BEFORE_MS,
    toMs: onsetMs + afterMs,
    stepMs: afterMs > MIN_ZOOM_AFTER_MS ? 100 : 50,
    zeroMs: onsetMs,
    unit: 'ms',
  };
}

/** Hundreds of milliseconds, so that a long delay fits in too. */
function zoomAfterMs({ delayMs }: Passage): number {
  return Math.max(MIN_ZOOM_AFTER_MS, Math.ceil((delayMs + 20) / 100) * 100 || 0);
}

/** Returns the gain with which the magnified part fills its panel. */
function gainOf(passage: Passage): number {
  const { sent, onsetMs } = passage;
  const at = (ms: number) => Math.max(0, Math.round(((ms - sent.fromMs) * sent.sampleRateHz) / 1000));
  let peak = 1;
  for (const sample of sent.samples.subarray(at(onsetMs), at(onsetMs + zoomAfterMs(passage)))) {
    peak = Math.max(peak, Math.abs(sample));
  }
  return (0.85 * 32_768) / peak;
}

function drawDelay(canvas: Canvas, font: Font, passage: Passage, sentTop: number): void {
  const { onsetMs, delayMs } = passage;
  const axis = zoomAxis(passage);
  const heardTop = sentTop + PANEL_HEIGHT + PANEL_GAP;
  const xOf = (ms: number) =>
    Math.round(axis.left + ((ms - axis.fromMs) / (axis.toMs - axis.fromMs)) * axis.width);
  const [sentX, heardX] = [xOf(onsetMs), xOf(onsetMs + delayMs)];
  canvas.dashes(sentX, sentTop, heardTop + PANEL_HEIGHT, MARKER);
  canvas.dashes(heardX, heardTop, heardTop + PANEL_HEIGHT, MARKER);
  const y = heardTop + PANEL_HEIGHT - 40;
  canvas.arrow(sentX, heardX, y, MARKER);
  const label = `${delayMs.toFixed(0)} ms`;
  canvas.text(label, (sentX + heardX) / 2, y - 34, { font, color: MARKER, align: 'middle' });
}

function endMs({ samples, sampleRateHz, fromMs }: Wave): number {
  return fromMs + (samples.length * 1000) / sampleRateHz;
}
