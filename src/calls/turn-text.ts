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

/** Returns how a text reads that somebody has just said. */
export function textState(text: string): TextState {
  const said = text.trim().toLowerCase().replaceAll("'", '’');
  if (/[?？]$/u.test(said)) return 'question';
  if (/([,;:–—-]|\.{2,}|…)$/u.test(said)) return 'unfinished';
  const digits = (/[\d\s().+-]*$/u.exec(said)?.[0] ?? '').replace(/\D/gu, '').length;
  if (digits >= LEAST_DIGITS) return 'number';
  if (ASKS_NUMBER.test(said) && digits > 0) return 'unfinished';
  const last = /[\p{L}’]+(?=\P{L}*$)/u.exec(said)?.[0] ?? '';
  if (digits === 0 && GOES_ON.has(last)) return 'unfinished';
  return /[.!。！]$/u.test(said) ? 'sentence' : 'open';
}
