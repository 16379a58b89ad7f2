/** Capitals, digits and a few signs in 5×7 pixels: seven rows a glyph, each a base-32 digit, highest bit left. */
const GLYPHS: Readonly<Record<string, string>> = {
  A: 'ehhvhhh',
  B: 'uhhuhhu',
  C: 'ehggghe',
  D: 'uhhhhhu',
  E: 'vgguggv',
  F: 'vgguggg',
  G: 'ehgnhhf',
  H: 'hhhvhhh',
  I: 'e44444e',
  J: '72222ic',
  K: 'hikokih',
  L: 'ggggggv',
  M: 'hrllhhh',
  N: 'hhpljhh',
  O: 'ehhhhhe',
  P: 'uhhuggg',
  Q: 'ehhhlid',
  R: 'uhhukih',
  S: 'fgge11u',
  T: 'v444444',
  U: 'hhhhhhe',
  V: 'hhhhha4',
  W: 'hhhllla',
  X: 'hha4ahh',
  Y: 'hhha444',
  Z: 'v1248gv',
  '0': 'ehjlphe',
  '1': '4c4444e',
  '2': 'eh1248v',
  '3': 'v2421he',
  '4': '26aiv22',
  '5': 'vgu11he',
  '6': '68guhhe',
  '7': 'v124888',
  '8': 'ehhehhe',
  '9': 'ehhf12c',
  '.': '00000cc',
  ',': '0000c48',
  '-': '000v000',
  '+': '044v440',
  ':': '0cc0cc0',
  '(': '2488842',
  ')': '8422248',
  '/': '01248g0',
  '%': 'op248j3',
  '>': '8421248',
};

const GLYPH_WIDTH = 5;
const GLYPH_ADVANCE = 6;

export function textWidth(text: string, scale: number): number {
  return text.length * GLYPH_ADVANCE * scale;
}

/** Calls `block` for every lit pixel, a square of `scale` pixels; lower case is drawn as capitals. */
export function drawText(text: string, scale: number, block: (x: number, y: number) => void): void {
  [...text.toUpperCase()].forEach((letter, position) => {
    const rows = GLYPHS[letter];
    if (rows === undefined) return;
    [...rows].forEach((digit, row) => {
      const bits = Number.parseInt(digit, 32);
      for (let column = 0; column < GLYPH_WIDTH; column++) {
        if (bits & (1 << (GLYPH_WIDTH - 1 - column)))
          block((position * GLYPH_ADVANCE + column) * scale, row * scale);
      }
    });
  });
}
