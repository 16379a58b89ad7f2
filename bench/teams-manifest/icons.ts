import { PNG } from 'pngjs';

const COLOR_SIZE = 192;
const OUTLINE_SIZE = 32;
const BLUE = [0x3b, 0x5b, 0xdb, 0xff] as const;
const WHITE = [0xff, 0xff, 0xff, 0xff] as const;
const CLEAR = [0, 0, 0, 0] as const;

type Color = readonly [number, number, number, number];

/** The icon in color: a white speech bubble on blue, 192 by 192 pixels. */
export function colorIcon(): Buffer {
  return drawn(COLOR_SIZE, (x, y) => (isBubble(x, y) ? WHITE : BLUE));
}

/** The outline: white on nothing, 32 by 32 pixels. */
export function outlineIcon(): Buffer {
  return drawn(OUTLINE_SIZE, (x, y) => (isBubble(x, y) ? WHITE : CLEAR));
}

/** A speech bubble in a square from 0 to 1. */
function isBubble(x: number, y: number): boolean {
  const isRound = ((x - 0.5) / 0.34) ** 2 + ((y - 0.44) / 0.26) ** 2 <= 1;
  const isTail = x > 0.3 && x < 0.46 && y > 0.6 && y < 0.84 && y < 0.84 - (x - 0.3) * 1.2;
  return isRound || isTail;
}

function drawn(size: number, colorAt: (x: number, y: number) => Color): Buffer {
  const png = new PNG({ width: size, height: size });
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++)
      png.data.set(colorAt((x + 0.5) / size, (y + 0.5) / size), (y * size + x) * 4);
  return PNG.sync.write(png);
}
