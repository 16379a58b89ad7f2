/** Names that models and people often use for another field. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['body', ['text']],
  ['caption', ['text']],
  ['content', ['text']],
  ['file', ['attachments']],
  ['file_id', ['attachments']],
  ['filename', ['name']],
  ['files', ['attachments']],
  ['id', ['call_id', 'conversation_id']],
  ['message', ['text']],
  ['mime_type', ['mime']],
  ['number', ['meeting_url']],
  ['phone_number', ['meeting_url']],
  ['recipient', ['peer', 'conversation_id']],
  ['sender', ['sender_name']],
  ['timeout', ['wait']],
  ['to', ['peer', 'meeting_url']],
  ['uri', ['meeting_url']],
  ['url', ['meeting_url', 'attachments']],
]);

const MAX_TYPING_ERRORS = 2;
/** Longer names are not compared: they are no typing mistakes, and comparing them would take long. */
const MAX_NAME_LENGTH = 40;

/** The name that was probably meant; null if none is close. */
export function closestName(name: string, accepted: readonly string[]): string | null {
  const synonym = SYNONYMS.get(name.toLowerCase());
  const meant = synonym?.find((each) => accepted.includes(each));
  if (meant !== undefined || name.length > MAX_NAME_LENGTH) return meant ?? null;
  const asked = plain(name);
  const same = accepted.find((each) => plain(each) === asked);
  if (same !== undefined || asked === '') return same ?? null;
  const part = accepted.find((each) => each.split('_').includes(asked) || asked.startsWith(plain(each)));
  if (part !== undefined) return part;
  const [nearest] = accepted
    .map((each) => ({ each, errors: distance(asked, plain(each)) }))
    .filter(({ each, errors }) => errors <= Math.min(MAX_TYPING_ERRORS, plain(each).length / 3))
    .sort((a, b) => a.errors - b.errors);
  return nearest?.each ?? null;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_\W]/g, '');
}

/** Levenshtein distance, with two exchanged neighbours as one error. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const replaced = row[column - 1]! + (from[line - 1] === to[column - 1] ? 0 : 1);
      const isExchange = from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1];
      const exchanged = isExchange ? before[column - 2]! + 1 : replaced;
      next.push(Math.min(replaced, exchanged, row[column]! + 1, next[column - 1]! + 1));
    }
    [before, row] = [row, next];
  }
  return row[to.length]!;
}
