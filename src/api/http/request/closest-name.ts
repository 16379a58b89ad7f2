import { bareName, nearestName } from '../../../base/nearest-name.ts';

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

/** The name that was probably meant; null if none is close. */
export function closestName(name: string, accepted: readonly string[]): string | null {
  const meant = SYNONYMS.get(name.toLowerCase())?.find((each) => accepted.includes(each));
  if (meant !== undefined) return meant;
  const asked = bareName(name);
  const same = accepted.find((each) => bareName(each) === asked);
  if (same !== undefined || asked === '') return same ?? null;
  const part = accepted.find((each) => each.split('_').includes(asked) || asked.startsWith(bareName(each)));
  if (part !== undefined) return part;
  return nearestName(name, accepted);
}
