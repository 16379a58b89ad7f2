/** What listeners say without wanting the turn, by language. */
const BACKCHANNELS: Readonly<Record<string, readonly string[]>> = {
  any: [
    'mm',
    'mmm',
    'hm',
    'hmm',
    'mhm',
    'mm-hm',
    'mm-hmm',
    'uh-huh',
    'uh',
    'um',
    'ah',
    'aha',
    'oh',
    'ok',
    'okay',
  ],
  en: [
    'yeah',
    'yep',
    'yes',
    'right',
    'sure',
    'i see',
    'got it',
    'good',
    'great',
    'all right',
    'alright',
    'wow',
  ],
  de: ['ja', 'jaja', 'genau', 'klar', 'verstehe', 'gut', 'stimmt', 'ach so', 'äh', 'ähm', 'alles klar'],
  fr: ['oui', 'ouais', "d'accord", 'bien', 'je vois', 'euh', 'voilà', 'très bien'],
  es: ['sí', 'si', 'vale', 'claro', 'ajá', 'bueno', 'ya', 'entiendo', 'eh'],
};
const KNOWN = new Set(Object.values(BACKCHANNELS).flat());
/** In words. */
const LONGEST_KNOWN = 2;
/** Nobody says more of them over somebody else. */
const MOST_WORDS = 4;
const NO_WORD = /[^\p{L}\p{M}\p{N}'’\s-]+/gu;

/** Whether a text has nothing but words of a listener, such as "Mm-hm. Yeah." */
export function isBackchannel(text: string): boolean {
  const plain = text.toLowerCase().replaceAll('’', "'").replace(NO_WORD, ' ').trim();
  const words = plain.split(/\s+/);
  if (plain === '' || words.length > MOST_WORDS) return plain === '';
  for (let at = 0; at < words.length; ) {
    const length = knownAt(words, at);
    if (length === 0) return false;
    at += length;
  }
  return true;
}

/** Returns how many words of a listener begin here. */
function knownAt(words: readonly string[], at: number): number {
  for (let length = LONGEST_KNOWN; length > 0; length--)
    if (at + length <= words.length && KNOWN.has(words.slice(at, at + length).join(' '))) return length;
  return 0;
}
