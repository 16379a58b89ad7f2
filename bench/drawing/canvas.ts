import { PNG } from 'pngjs';
import type { Font } from './font.ts';

export type Color = readonly [red: number, green: number, blue: number];

/** In whole pixels. */
export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A picture of rectangles and glyphs. An edge between two pixels is blended into both. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly #png: PNG;

  constructor(width: number, height: number, background: Color) {
    this.width = width;
    this.height = height;
    this.#png = new PNG({ width, height });
    this.fill({ left: 0, top: 0, width, height }, background);
  }

  fill({ left, top, width, height }: Rectangle, color: Color): void {
    for (let y = top; y < top + height; y++) {
      for (let x = left; x < left + width; x++) this.#blend(x, y, color, 1);
    }
  }

  /** Draws a vertical line, one pixel wide. Its ends may lie between pixels. */
  column(x: number, fromY: number, toY: number, color: Color): void {
    for (let y = Math.floor(fromY); y < toY; y++) {
      this.#blend(x, y, color, Math.min(y + 1, toY) - Math.max(y, fromY));
    }
  }

  /** Draws a dashed vertical line. */
  dashes(x: number, fromY: number, toY: number, color: Color): void {
    for (let top = fromY; top < toY; top += 10) {
      this.fill({ left: x - 1, top, width: 2, height: Math.min(6, toY - top) }, color);
    }
  }

  /** Draws a horizontal arrow with a head at each end. */
  arrow(fromX: number, toX: number, y: number, color: Color): void {
    this.fill({ left: fromX, top: y - 1, width: toX - fromX, height: 2 }, color);
    for (let step = 0; step < 9; step++) {
      this.column(fromX + step, y - step / 2 - 1, y + step / 2 + 1, color);
      this.column(toX - 1 - step, y - step / 2 - 1, y + step / 2 + 1, color);
    }
  }

  /** Writes text. `x` is its start, middle or end, depending on `align`; `y` is its upper edge. */
  text(
    text: string,
    x: number,
    y: number,
    { font, color, align = 'left' }: { font: Font; color: Color; align?: 'left' | 'middle' | 'right' },
  ): void {
    const shift = { left: 0, middle: 0.5, right: 1 }[align];
    const left = Math.round(x - shift * font.widthOf(text));
    font.draw(text, (dx, dy, coverage) => this.#blend(left + dx, y + dy, color, coverage));
  }

  png(): Buffer {
    return PNG.sync.write(this.#png);
  }

  #blend(x: number, y: number, color: Color, coverage: number): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return;
    const at = (y * this.width + x) * 4;
    const { data } = this.#png;
    for (let channel = 0; channel < 3; channel++) {
      const below = data[at + channel]!;
      data[at + channel] = below + (color[channel]! - below) * coverage;
    }
    data[at + 3] = 255;
  }
}
