import type { AnsweredMessage, InboundFile } from '../../contract/messenger.ts';
import type { Message, Parameter, RichText } from '../objects.ts';

/** Type of a message that was recorded in Talk. */
const VOICE_NOTE = 'voice-message';
const PLACEHOLDER = /\{([\w-]{1,100})\}/g;
/** Types of people, teams and groups, whose mentions are names. */
const PEOPLE: ReadonlySet<string> = new Set(['user', 'user-group', 'guest', 'email', 'circle', 'highlight']);
/** What agents read in place of Talk's own words for types. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  'talk-poll': 'poll',
  'talk-poll-draft': 'poll',
  'geo-location': 'location',
  'deck-card': 'card',
  'deck-board': 'board',
  'addressbook-contact': 'contact',
  'forms-form': 'form',
  'calendar-event': 'event',
};

/** Returns what a message answers; undefined: nothing, or what was deleted. */
export function answeredIn({ parent, systemMessage }: Message, ownId: string): AnsweredMessage | undefined {
  if (!parent || systemMessage !== '' || parent.deleted === true || parent.systemMessage !== '')
    return undefined;
  const { id } = parent;
  return {
    platformMessageId: `${id}`,
    author: nameOf(parent),
    text: plainText(parent, ownId),
    files: filesOf(parent),
  };
}

/** Returns a text as agents read it: names in place of placeholders, and without the mention of the bot itself. */
export function plainText({ message, messageParameters }: RichText, ownId: string): string {
  const named = message.replace(PLACEHOLDER, (whole, key: string) => {
    const parameter = Object.hasOwn(messageParameters, key) ? messageParameters[key] : undefined;
    return parameter === undefined ? whole : shown(key, parameter, ownId);
  });
  return named.trim();
}

/** Returns the files of a message, by their paths among the bot's files: every member of a room has them. */
export function filesOf({
  messageParameters,
  messageType,
}: Pick<RichText, 'messageParameters'> & { readonly messageType?: string }): InboundFile[] {
  const isVoiceNote = messageType === VOICE_NOTE;
  return Object.values(messageParameters)
    .filter(({ type }) => type === 'file')
    .map(({ id, name, mimetype, size, path, 'hide-download': hidden }) => ({
      name: name || `file ${id ?? ''}`.trim(),
      mime: typeof mimetype === 'string' && mimetype !== '' ? mimetype : 'application/octet-stream',
      sizeBytes: wholeNumber(size),
      ref: typeof path === 'string' && path !== '' && hidden !== 'yes' ? path : null,
      ...(isVoiceNote && { isVoiceNote }),
    }));
}

/** Guests and people who are deleted may have no name. */
export function nameOf({
  actorType,
  actorId,
  actorDisplayName,
}: Pick<Message, 'actorType' | 'actorId' | 'actorDisplayName'>): string {
  if (actorDisplayName !== '') return actorDisplayName;
  if (actorType === 'guests' || actorType === 'emails') return 'Guest';
  return actorType === 'deleted_users' ? 'Deleted user' : actorId;
}

function shown(key: string, parameter: Parameter, ownId: string): string {
  const { type, id = '', name = '', server } = parameter;
  if (type === 'file') return '';
  if (type === 'call' && key.startsWith('mention-')) return '@all';
  // Users of other servers may have the same id.
  if (PEOPLE.has(type))
    return type === 'user' && id === ownId && server === undefined ? '' : `@${name || id}`;
  return stubOf(parameter);
}

/** What a message without a text of its own says it was: a poll, a place, a card. */
function stubOf({ type, id = '', name = '', link, latitude, longitude }: Parameter): string {
  const what = name || id;
  const place =
    typeof latitude === 'string' && typeof longitude === 'string' ? `${latitude}, ${longitude}` : '';
  const url = link !== undefined && /^https?:\/\//.test(link) ? link : '';
  const more = place || url;
  return `[${TYPE_NAMES[type] ?? type}: ${what}${more === '' ? '' : ` (${more})`}]`;
}

/** A number of up to 15 digits, also as text; null for anything else. */
export function wholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}
