/** Longer words with a full stop end a sentence. In characters, with the full stop. */
const LONGEST = 12;

/** Words that are usually followed by more of their sentence. English first, then what other languages add. */
const ABBREVIATIONS = new Set(
  [
    'mr mrs ms mx dr prof st sr jr hon rev gen col capt cmdr lt sgt maj gov sen rep pres messrs ph.d',
    'no nos vs approx est fig figs vol ed eds ch sec art pp dept univ inc ltd co corp bros ext tel ave blvd rd',
    'jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun',
    'hr fr nr str bzw ca inkl zzgl mme mlle mm sra srta dra dña ud uds núm sig dott ing',
  ].flatMap((line) => line.split(' ')),
);

/** What may precede a word: spaces and opening marks. */
const OPENING = /[\s\p{Ps}\p{Pi}"']/u;
const LETTER = /^\p{L}$/u;

/** Whether a sentence seems to end with an abbreviation ("Dr.") or initials ("J.", "U.S.", "e.g."). */
export function endsWithAbbreviation(sentence: string): boolean {
  const tail = sentence.trimEnd().slice(-LONGEST);
  if (!tail.endsWith('.')) return false;
  const word = tail.slice(0, -1).split(OPENING).at(-1) as string;
  return ABBREVIATIONS.has(word.toLowerCase()) || word.split('.').every((part) => LETTER.test(part));
}
