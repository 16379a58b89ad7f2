import { GatewayError } from '../../../base/errors.ts';
import type { MeetingTarget } from '../../kit/phone-meetings.ts';

/** The second is the page of all phone numbers, which calendars link. */
const HOSTS = ['meet.google.com', 'tel.meet'];
/** What some clients have before the code. */
const PREFIX = /^\/(?:_meet\/)?/;
const MAX_CHARACTERS = 1_024;
/** `[a-z]+-[a-z]+-[a-z]+`, at most 128 characters (REST reference of Space); people also type it without hyphens. */
const CODE = /^(?=.{5,128}$)[a-z]+-[a-z]+-[a-z]+$/;
const PLAIN_CODE = /^([a-z]{3})([a-z]{4})([a-z]{3})$/;
const DIALLED = /^(\+|tel:|sips?:)/i;

const EXPECTED =
  'meeting_url is not a Meet meeting; give its link (https://meet.google.com/abc-mnop-xyz), its code, or its phone number with the PIN (+16505551234,,123456789#)';

/** Reads `meeting_url`: a meeting by its code (`abc-mnop-xyz`), or what can be dialled. Throws `invalid_meeting_url`. */
export function readMeetingTarget(text: string): MeetingTarget<string> {
  const trimmed = text.trim();
  if (trimmed.length > MAX_CHARACTERS) throw new GatewayError('invalid_meeting_url', EXPECTED);
  if (DIALLED.test(trimmed)) return { kind: 'dial', target: trimmed };
  const code = codeOf(trimmed);
  if (code === null) throw new GatewayError('invalid_meeting_url', EXPECTED);
  return { kind: 'meeting', meeting: code };
}

function codeOf(text: string): string | null {
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null || url.username !== '' || url.password !== '' || url.port !== '') return null;
  const written = HOSTS.includes(url.hostname) ? url.pathname.replace(PREFIX, '').replace(/\/$/, '') : text;
  const code = written.toLowerCase().replace(PLAIN_CODE, '$1-$2-$3');
  return CODE.test(code) ? code : null;
}
