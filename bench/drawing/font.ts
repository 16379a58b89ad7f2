import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';

/** The glyphs of a strip, in this order. */
const GLYPHS = `${Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('')}→−·`;
/** Glyphs stand this far inside their cells, because some reach out to the left of where they begin. */
const CELL_MARGIN = 2;

/** Letters of one size, read from a strip of white glyphs in equal cells; row 0 of a cell is lit for as long as its glyph is wide. */
export class Font {
  readonly #strip: PNG;
  readonly #cellWidth: number;
  readonly #advances: readonly number[];

  constructor(name: string, cellWidth: number) {
    this.#strip = PNG.sync.read(readFileSync(join(import.meta.dirname, name)));
    this.#cellWidth = cellWidth;
    this.#advances = [...GLYPHS].map((_, glyph) => this.#advance(glyph));
  }

  widthOf(text: string): number {
    return [...text].reduce((width, letter) => width + this.#advances[indexOf(letter)]!, 0);
  }

  /** Calls `pixel` for everything that is not blank, with its distance from the upper left corner, and 0 to 1. */
  draw(text: string, pixel: (x: number, y: number, coverage: number) => void): void {
    let left = 0;
    for (const letter of text) {
      const glyph = indexOf(letter);
      for (let y = 1; y < this.#strip.height; y++) {
        for (let x = 0; x < this.#cellWidth; x++) {
          const coverage = this.#lightness(glyph, x, y);
          if (coverage > 0) pixel(left + x - CELL_MARGIN, y, coverage);
        }
      }
      left += this.#advances[glyph]!;
    }
  }

  #advance(glyph: number): number {
    let width = 0;
    while (width < this.#cellWidth && this.#lightness(glyph, width, 0) > 0) width++;
    return width;
  }

  #lightness(glyph: number, x: number, y: number): number {
    return this.#strip.data[(y * this.#strip.width + glyph * this.#cellWidth + x) * 4]! / 255;
  }
}

function indexOf(letter: string): number {
  const index = GLYPHS.indexOf(letter);
  if (index < 0) throw new RangeError(`the strip has no ${letter}`);
  return index;
}
