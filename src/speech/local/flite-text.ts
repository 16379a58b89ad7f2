/** What Flite cannot read, and what says the same in ASCII. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '‛': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '–': ', ',
  '—': ', ',
  '…': '...',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  '€': ' euro ',
  '£': ' pound ',
  '°': ' degrees ',
};
const MARKS = /\p{M}/gu;
const BEYOND_ASCII = /[^\x20-\x7e]/gu;
const READABLE = /[A-Za-z0-9]/;

/** Returns a text as Flite can read it, in ASCII: '' when nothing of it can be spoken. */
export function fliteText(text: string): string {
  const ascii = text
    .normalize('NFKD')
    .replace(MARKS, '')
    .replace(BEYOND_ASCII, (character) => REPLACEMENTS[character.toLowerCase()] ?? ' ');
  return READABLE.test(ascii) ? ascii : '';
}
