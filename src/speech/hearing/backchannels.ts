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
/** In words. */
const LONGEST_KNOWN = 3;
/** Nobody says more of them over somebody else. */
const MOST_WORDS = 4;
const NO_WORD = /[^\p{L}\p{M}\p{N}'’\s-]+/gu;

/** What listeners say without wanting the turn. */
export class Backchannels {
  readonly #known: ReadonlySet<string>;

  /** `own` replace those of all languages; null: they are the usual ones. */
  constructor(own: readonly string[] | null = null) {
    this.#known = new Set((own ?? Object.values(BACKCHANNELS).flat()).map(plain));
  }

  /** Whether a text has nothing but words of a listener, such as "Mm-hm. Yeah." */
  has(text: string): boolean {
    const said = plain(text);
    const words = said.split(' ');
    if (said === '' || words.length > MOST_WORDS) return said === '';
    for (let at = 0; at < words.length; ) {
      const length = this.#knownAt(words, at);
      if (length === 0) return false;
      at += length;
    }
    return true;
  }

  /** Returns how many words of a listener begin here. */
  #knownAt(words: readonly string[], at: number): number {
    for (let length = LONGEST_KNOWN; length > 0; length--)
      if (at + length <= words.length && this.#known.has(words.slice(at, at + length).join(' ')))
        return length;
    return 0;
  }
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll('’', "'").replace(NO_WORD, ' ').replace(/\s+/g, ' ').trim();
}
