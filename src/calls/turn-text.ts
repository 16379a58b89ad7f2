/** Why a turn is over: what was said, or that nothing more came. */
export type TurnReason = 'vendor' | 'question' | 'number' | 'sentence' | 'silence' | 'model';

/** How a text reads: `unfinished` goes on, and `open` may. */
export type TextState = Extract<TurnReason, 'question' | 'number' | 'sentence'> | 'open' | 'unfinished';

/**
 * Words that hardly ever end what is said, in English, German, French and Spanish. Those that sometimes do are left out: a
 * turn that is over would wait for nothing.
 */
const GOES_ON = new Set(
  [
    'and or but because if the a an my your our their to of for from about i i’d i’ll um uh er hmm than as',
    'und oder aber weil dass wenn der ein eine einen mein meine zum zur von für äh ähm ich also',
    'et ou mais parce que les un une mon ma mes du des pour avec euh je si',
    'y pero porque el los un una mi mis del para eh yo si',
  ].flatMap((words) => words.split(' ')),
);
/** As many digits as a number of a phone, a card or an order has. */
const LEAST_DIGITS = 7;
/** Numbers are said in groups: fewer digits at the end of a sentence about one are a part of it. */
const ASKS_NUMBER = /\b(number is|number’s|nummer (ist|lautet)|numéro (est|c’est)|número es)\b/u;

/** Marks that go on, at the end. */
const PAUSES = new Set([',', ';', ':', '–', '—', '-', '…']);
/** What is looked at. */
const END_CHARACTERS = 200;

/** Returns how a text reads that somebody has just said. */
export function textState(text: string): TextState {
  const said = text.trim().slice(-END_CHARACTERS).toLowerCase().replaceAll("'", '’');
  const end = said.at(-1) ?? '';
  if (end === '?' || end === '？') return 'question';
  if (PAUSES.has(end) || said.endsWith('..')) return 'unfinished';
  const digits = digitsAtEnd(said);
  if (digits >= LEAST_DIGITS) return 'number';
  if (digits > 0) return ASKS_NUMBER.test(said) ? 'unfinished' : 'open';
  const last = said.split(/[^\p{L}’]/u).findLast((word) => word !== '') ?? '';
  if (GOES_ON.has(last)) return 'unfinished';
  return end === '.' || end === '!' || end === '。' ? 'sentence' : 'open';
}

/** Digits since the last letter. */
function digitsAtEnd(said: string): number {
  let digits = 0;
  for (const character of [...said].reverse()) {
    if (character >= '0' && character <= '9') digits++;
    else if (/\p{L}/u.test(character)) break;
  }
  return digits;
}
