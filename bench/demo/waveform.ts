import { writeFileSync } from 'node:fs';
import { PNG } from 'pngjs';
import { drawText, textWidth } from './pixel-font.ts';

/** One recording in the picture. */
export interface WaveformTrack {
  readonly label: string;
  readonly sampleRateHz: number;
  readonly samples: Int16Array;
}

type Color = readonly [number, number, number];

const BACKGROUND: Color = [250, 250, 252];
const PANEL: Color = [255, 255, 255];
const GRID: Color = [226, 229, 236];
const INK: Color = [60, 66, 82];
const TRACK_COLORS: readonly { peak: Color; rms: Color }[] = [
  { peak: [124, 170, 246], rms: [37, 99, 235] },
  { peak: [250, 178, 128], rms: [217, 89, 14] },
];

const WIDTH = 1_200;
const MARGIN = 28;
const LEFT = 84;
const LABEL_HEIGHT = 34;
const PANEL_HEIGHT = 200;
const AXIS_HEIGHT = 44;
const TEXT_SCALE = 2;
const FULL_SCALE = 32_768;

/** Draws the tracks one above the other on one time axis: the light band is the peak, the dark one the RMS. */
export function drawWaveforms(path: string, tracks: readonly WaveformTrack[]): void {
  const trackHeight = LABEL_HEIGHT + PANEL_HEIGHT + AXIS_HEIGHT;
  const canvas = new Canvas(WIDTH, 2 * MARGIN + tracks.length * trackHeight);
  const lengthSeconds = Math.max(...tracks.map((track) => track.samples.length / track.sampleRateHz), 0.1);
  tracks.forEach((track, index) => {
    const top = MARGIN + index * trackHeight;
    canvas.text(track.label, LEFT, top + 8, INK);
    drawPanel(canvas, top + LABEL_HEIGHT, lengthSeconds);
    drawTrack(canvas, track, top + LABEL_HEIGHT, lengthSeconds, index);
  });
  writeFileSync(path, canvas.png());
}

function plotWidth(): number {
  return WIDTH - LEFT - MARGIN;
}

/** Amplitude lines at 0, ±0.5 and ±1 of full scale, and the seconds. */
function drawPanel(canvas: Canvas, top: number, lengthSeconds: number): void {
  canvas.fill(LEFT, top, plotWidth(), PANEL_HEIGHT, PANEL);
  for (const level of [1, 0.5, 0, -0.5, -1]) {
    const y = Math.round(top + (PANEL_HEIGHT / 2) * (1 - level));
    canvas.fill(LEFT, y, plotWidth(), 1, GRID);
    const label = level.toFixed(1);
    canvas.text(label, LEFT - 12 - textWidth(label, TEXT_SCALE), y - 7, INK);
  }
  const stepSeconds = tickSeconds(lengthSeconds);
  for (let tick = 0; tick * stepSeconds <= lengthSeconds; tick++) {
    const x = Math.round(LEFT + (plotWidth() - 1) * ((tick * stepSeconds) / lengthSeconds));
    canvas.fill(x, top, 1, PANEL_HEIGHT, GRID);
    const label = `${Number((tick * stepSeconds).toFixed(1))} s`;
    if (x + textWidth(label, TEXT_SCALE) < WIDTH) canvas.text(label, x, top + PANEL_HEIGHT + 8, INK);
  }
}

/** The finest of 0.5, 1, 2, 5, 10… seconds that leaves room for the labels. */
function tickSeconds(lengthSeconds: number): number {
  for (let decade = 0.1; ; decade *= 10) {
    for (const factor of [1, 2, 5]) if (lengthSeconds / (decade * factor) <= 12) return decade * factor;
  }
}

function drawTrack(
  canvas: Canvas,
  track: WaveformTrack,
  top: number,
  lengthSeconds: number,
  index: number,
): void {
  const colors = TRACK_COLORS[index % TRACK_COLORS.length] ?? { peak: INK, rms: INK };
  const samplesPerColumn = (lengthSeconds * track.sampleRateHz) / plotWidth();
  const middle = top + PANEL_HEIGHT / 2;
  const height = (value: number) => (value / FULL_SCALE) * (PANEL_HEIGHT / 2);
  for (let column = 0; column < plotWidth(); column++) {
    const from = Math.floor(column * samplesPerColumn);
    const to = Math.max(from + 1, Math.floor((column + 1) * samplesPerColumn));
    if (to > track.samples.length) return;
    const { min, max, rms } = measure(track.samples.subarray(from, to));
    canvas.column(LEFT + column, middle - height(max), middle - height(min), colors.peak);
    canvas.column(LEFT + column, middle - height(rms), middle + height(rms), colors.rms);
  }
}

function measure(samples: Int16Array): { min: number; max: number; rms: number } {
  let min = 0;
  let max = 0;
  let squares = 0;
  for (const sample of samples) {
    if (sample < min) min = sample;
    if (sample > max) max = sample;
    squares += sample * sample;
  }
  return { min, max, rms: Math.sqrt(squares / samples.length) };
}

class Canvas {
  readonly #png: PNG;

  constructor(width: number, height: number) {
    this.#png = new PNG({ width, height });
    this.fill(0, 0, width, height, BACKGROUND);
  }

  fill(left: number, top: number, width: number, height: number, color: Color): void {
    for (let y = top; y < top + height; y++) for (let x = left; x < left + width; x++) this.#set(x, y, color);
  }

  /** One pixel wide, at least one high. */
  column(x: number, fromY: number, toY: number, color: Color): void {
    for (let y = Math.round(fromY); y <= Math.round(toY); y++) this.#set(x, y, color);
  }

  text(text: string, left: number, top: number, color: Color): void {
    drawText(text, TEXT_SCALE, (x, y) => this.fill(left + x, top + y, TEXT_SCALE, TEXT_SCALE, color));
  }

  png(): Buffer {
    return PNG.sync.write(this.#png);
  }

  #set(x: number, y: number, color: Color): void {
    if (x < 0 || y < 0 || x >= this.#png.width || y >= this.#png.height) return;
    const at = (y * this.#png.width + x) * 4;
    this.#png.data.set(color, at);
    this.#png.data[at + 3] = 255;
  }
}
