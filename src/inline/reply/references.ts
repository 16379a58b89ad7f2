const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(lt|gt|amp|quot|apos));/g;
const WHOLE = /^&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|lt|gt|amp|quot|apos);/;
/** What may become a reference when more text follows. */
const PARTIAL = /^&(?:#\d{0,7}|#[xX][\da-fA-F]{0,6}|[a-z]{0,4})$/;
const LAST_CODE_POINT = 0x10_ffff;

/** Decodes the five named references of XML and numeric ones. All others, and those of no character, remain. */
export function decodeReferences(text: string): string {
  return text.replace(REFERENCE, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name]!;
    const codePoint = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
    return isCharacter(codePoint) ? String.fromCodePoint(codePoint) : whole;
  });
}

/** Length of the reference at the start of a text that begins with `&`. */
export function referenceLength(text: string): number | 'none' | 'undecided' {
  const whole = WHOLE.exec(text);
  if (whole !== null) return whole[0].length;
  return PARTIAL.test(text) ? 'undecided' : 'none';
}

/** Neither NUL nor half a character. */
function isCharacter(codePoint: number): boolean {
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  return codePoint > 0 && codePoint <= LAST_CODE_POINT && !isSurrogate;
}
