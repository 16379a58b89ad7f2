import type { Canvas, Color } from '../drawing/canvas.ts';
import type { Font } from '../drawing/font.ts';

/** A recording on the clock of the picture. */
export interface Wave {
  readonly label: string;
  readonly samples: Int16Array;
  readonly sampleRateHz: number;
  /** When sample 0 was sent or heard. */
  readonly fromMs: number;
}

/** A stretch of time on a stretch of the picture. */
export interface Axis {
  readonly left: number;
  readonly width: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  /** The moment that the labels count from. */
  readonly zeroMs: number;
  readonly unit: 's' | 'ms';
}

export interface Panel {
  readonly axis: Axis;
  readonly top: number;
  readonly height: number;
  readonly gain: number;
  /** Full scale is labelled. */
  readonly amplitudes: boolean;
}

const PANEL: Color = [255, 255, 255];
const BORDER: Color = [205, 210, 220];
const GRID: Color = [232, 235, 241];
const FULL_SCALE = 32_768;

/** An empty panel with its grid: amplitudes of 0 and half of full scale, and the ticks of its axis. */
export function drawPanel(canvas: Canvas, font: Font, panel: Panel, ink: Color): void {
  const { axis, top, height } = panel;
  const { left, width } = axis;
  canvas.fill({ left: left - 1, top: top - 1, width: width + 2, height: height + 2 }, BORDER);
  canvas.fill({ left, top, width, height }, PANEL);
  for (const { x } of ticks(axis)) canvas.fill({ left: x, top, width: 1, height }, GRID);
  for (const amplitude of [0.5, 0, -0.5]) {
    const y = Math.round(top + (height / 2) * (1 - amplitude));
    canvas.fill({ left, top: y, width, height: 1 }, GRID);
    const label = `${amplitude}`.replace('-', '−');
    if (panel.amplitudes) canvas.text(label, left - 12, y - 16, { font, color: ink, align: 'right' });
  }
}

/** The labels of the axis, below `y`. */
export function drawTimes(canvas: Canvas, axis: Axis, y: number, ink: { font: Font; color: Color }): void {
  for (const { x, label } of ticks(axis)) canvas.text(label, x, y + 6, { ...ink, align: 'middle' });
}

/** The light band reaches from the lowest to the highest sample of each column, the dark one is the RMS. */
export function drawWave(
  canvas: Canvas,
  { axis, top, height, gain }: Panel,
  { samples, sampleRateHz, fromMs }: Wave,
  { peak, rms }: { readonly peak: Color; readonly rms: Color },
): void {
  const middle = top + height / 2;
  const scale = (gain * height) / 2 / FULL_SCALE;
  const msPerColumn = (axis.toMs - axis.fromMs) / axis.width;
  const sampleAt = (column: number) =>
    Math.floor(((axis.fromMs + column * msPerColumn - fromMs) * sampleRateHz) / 1000);
  for (let column = 0; column < axis.width; column++) {
    const from = sampleAt(column);
    if (from < 0 || from >= samples.length) continue;
    const found = measure(samples.subarray(from, Math.max(from + 1, sampleAt(column + 1))));
    const x = axis.left + column;
    canvas.column(x, middle - found.max * scale - 0.5, middle - found.min * scale + 0.5, peak);
    canvas.column(x, middle - found.rms * scale - 0.5, middle + found.rms * scale + 0.5, rms);
  }
}

function ticks({ left, width, fromMs, toMs, stepMs, zeroMs, unit }: Axis): { x: number; label: string }[] {
  const all: { x: number; label: string }[] = [];
  const first = Math.ceil((fromMs - zeroMs) / stepMs) * stepMs;
  for (let ms = first; ms <= toMs - zeroMs; ms += stepMs) {
    const x = Math.round(left + ((ms + zeroMs - fromMs) / (toMs - fromMs)) * width);
    const value = `${unit === 's' ? ms / 1000 : ms}`.replace('-', '−');
    all.push({ x, label: ms + stepMs > toMs - zeroMs ? `${value} ${unit}` : value });
  }
  return all;
}

function measure(samples: Int16Array): { min: number; max: number; rms: number } {
  let [min, max, squares] = [samples[0] ?? 0, samples[0] ?? 0, 0];
  for (const sample of samples) {
    min = Math.min(min, sample);
    max = Math.max(max, sample);
    squares += sample * sample;
  }
  return { min, max, rms: Math.sqrt(squares / samples.length) };
}
