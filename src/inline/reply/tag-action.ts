import { unreachable } from '../../base/assert.ts';
import { PLATFORMS, type Platform } from '../../base/platform.ts';
import type { FileAction, ReplyAction } from './action.ts';
import type { Tag, TagName } from './tags.ts';

type Attributes = Tag['attributes'];

/** What a closed tag amounts to: an action, or why there is none. */
export type TagOutcome = { readonly action: ReplyAction } | { readonly problem: string };

/** Other tags have no attributes. */
const ATTRIBUTES: Readonly<Partial<Record<TagName, readonly string[]>>> = {
  write: ['reply_to', 'choices'],
  react: ['message'],
  file: ['id', 'url', 'name', 'caption'],
  dm: ['platform', 'to', 'account_id'],
  call_join: ['platform', 'url', 'account_id'],
};
/** In UTF-16 units: families and flags take several. */
const MAX_EMOJI = 40;
const DIGITS = /^[0-9*#A-D]{1,32}$/;

/** Returns the attributes of a tag that it does not know. */
export function unknownAttributes({ name, attributes }: Tag): string[] {
  return [...attributes.keys()].filter((attribute) => !ATTRIBUTES[name]?.includes(attribute));
}

/** Returns what a tag asks for. `body` is its text without space around it. Sentences of `<say>` are not read here. */
export function actionOf(name: Exclude<TagName, 'say'>, attributes: Attributes, body: string): TagOutcome {
  switch (name) {
    case 'write':
      return writeOf(attributes, body);
    case 'react':
      return reactOf(attributes, body);
    case 'accept':
    case 'refuse':
    case 'leave':
      return { action: { kind: name } };
    case 'dtmf':
      return dtmfOf(body);
    case 'dm':
      return dmOf(attributes, body);
    case 'call_join':
      return callJoinOf(attributes);
    case 'file':
      return fileOf(attributes, body);
    default:
      return unreachable(name);
  }
}

function writeOf(attributes: Attributes, text: string): TagOutcome {
  if (text === '') return { problem: 'empty' };
  const replyTo = given(attributes, 'reply_to');
  const choices = (given(attributes, 'choices') ?? '')
    .split('|')
    .map((choice) => choice.trim())
    .filter((choice) => choice !== '');
  if (new Set(choices).size < choices.length) return { problem: 'has the same choice twice' };
  const more = { ...(replyTo !== null && { replyTo }), ...(choices.length > 0 && { choices }) };
  return { action: { kind: 'write', text, ...more } };
}

function reactOf(attributes: Attributes, emoji: string): TagOutcome {
  const messageId = given(attributes, 'message');
  if (messageId === null) return { problem: 'needs the id of a "message"' };
  if (emoji === '' || emoji.length > MAX_EMOJI) return { problem: 'needs one emoji' };
  return { action: { kind: 'react', messageId, emoji } };
}

function dtmfOf(body: string): TagOutcome {
  const digits = body.replaceAll(/\s/g, '').toUpperCase();
  if (!DIGITS.test(digits)) return { problem: 'needs 1 to 32 of the keys 0-9, *, # and A-D' };
  return { action: { kind: 'dtmf', digits } };
}

function dmOf(attributes: Attributes, text: string): TagOutcome {
  const platform = platformIn(attributes);
  const to = given(attributes, 'to');
  if (platform === null) return { problem: 'needs a known platform' };
  if (to === null) return { problem: 'needs a recipient in "to"' };
  if (text === '') return { problem: 'empty' };
  return { action: { kind: 'dm', platform, to, accountId: given(attributes, 'account_id'), text } };
}

function callJoinOf(attributes: Attributes): TagOutcome {
  const platform = platformIn(attributes);
  const url = given(attributes, 'url');
  if (platform === null || platform === 'agent') return { problem: 'needs a known platform' };
  if (url === null) return { problem: 'needs a "url"' };
  return { action: { kind: 'call_join', platform, url, accountId: given(attributes, 'account_id') } };
}

function fileOf(attributes: Attributes, text: string): TagOutcome {
  const sources = ['id', 'url', 'name'].filter((name) => attributes.has(name));
  const [kind] = sources;
  const value = kind === undefined ? null : given(attributes, kind);
  if (sources.length !== 1 || value === null) return { problem: 'needs one of "id", "url" and "name"' };
  const source = sourceOf(kind, value, text);
  if ('problem' in source) return source;
  return { action: { kind: 'file', source, caption: given(attributes, 'caption') ?? '' } };
}

function sourceOf(
  kind: string | undefined,
  value: string,
  text: string,
): FileAction['source'] | { readonly problem: string } {
  if (kind === 'id') return { fileId: value };
  if (kind === 'name') return text === '' ? { problem: 'empty' } : { name: value, text };
  return URL.parse(value)?.protocol === 'https:' ? { url: value } : { problem: 'needs an https URL' };
}

function platformIn(attributes: Attributes): Platform | 'agent' | null {
  const name = given(attributes, 'platform')?.toLowerCase();
  if (name === 'agent') return name;
  return PLATFORMS.find((platform) => platform === name) ?? null;
}

/** Null: the attribute is missing or blank. */
function given(attributes: Attributes, name: string): string | null {
  return attributes.get(name)?.trim() || null;
}
