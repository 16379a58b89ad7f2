import { GatewayError } from '../../../base/errors.ts';
import type { MeetingTarget } from '../../kit/phone-meetings.ts';

/** A meeting, as Microsoft Graph finds it: by its link, or by the id in its short link. */
export type TeamsMeeting =
  | { readonly by: 'join_url'; readonly url: string }
  | { readonly by: 'meeting_id'; readonly id: string };

const MAX_CHARACTERS = 2_048;
const DIALLED = /^(\+|tel:|sips?:)/i;
const HOSTS =
  /^(teams\.microsoft\.com|teams\.cloud\.microsoft|(gov|dod)\.teams\.microsoft\.us|teams\.microsoftonline\.cn)$/;
const JOIN_PATH = /^\/l\/meetup-join\/[^/]+\/[^/]+/;
const INNER_PATH = /\/(?:l\/meetup-join|meet)\//;
const MAIN_HOST = 'teams.microsoft.com';
/** Opens Teams' applications; some leave out the host. */
const APP_SCHEME = /^msteams:(\/\/)?/i;
const SHORT_PATH = /^\/meet\/(\d{9,20})\/?$/;
const CONTEXT = /[?&]context=([^&]*)/;
/** Meetings of private accounts have no phone numbers. */
const PRIVATE_HOST = 'teams.live.com';

const EXPECTED =
  'meeting_url is not a Teams meeting; give its link (https://teams.microsoft.com/l/meetup-join/… or /meet/…), or its phone number with the conference id (+12065551234,,123456789#)';
const PRIVATE = 'Meetings of private Teams accounts (teams.live.com) cannot be joined by phone';

/** Reads `meeting_url`. Throws GatewayError `invalid_meeting_url`. */
export function readMeetingTarget(text: string): MeetingTarget<TeamsMeeting> {
  const trimmed = text.trim();
  if (trimmed.length > MAX_CHARACTERS) throw new GatewayError('invalid_meeting_url', EXPECTED);
  if (DIALLED.test(trimmed)) return { kind: 'dial', target: trimmed };
  const url = URL.parse(webLink(trimmed));
  const meeting = url === null ? null : meetingOf(url);
  if (meeting === null) throw new GatewayError('invalid_meeting_url', EXPECTED);
  return { kind: 'meeting', meeting };
}

function webLink(text: string): string {
  if (/^https?:\/\//i.test(text)) return text;
  return `https://${text.replace(APP_SCHEME, (_, host?: string) => (host === undefined ? MAIN_HOST : ''))}`;
}

function meetingOf(url: URL): TeamsMeeting | null {
  const { hostname, username, port } = url;
  if (hostname === PRIVATE_HOST) throw new GatewayError('invalid_meeting_url', PRIVATE);
  if (!HOSTS.test(hostname) || username !== '' || port !== '') return null;
  const page = innerPage(url) ?? url;
  const [, id] = SHORT_PATH.exec(page.pathname) ?? [];
  if (id !== undefined) return { by: 'meeting_id', id };
  return JOIN_PATH.test(page.pathname) ? joinUrl(page) : null;
}

/** The link inside that of the page which asks where to open it, and of the web client. */
function innerPage({ origin, pathname, searchParams, hash }: URL): URL | null {
  const path = pathname.startsWith('/dl/launcher/') ? searchParams.get('url') : hash.replace(/^#/, '');
  const start = path?.search(INNER_PATH) ?? -1;
  return start < 0 ? null : URL.parse(path!.slice(start), origin);
}

/** The link as Teams makes it, without what clients add: Graph compares letter by letter. Null when it is malformed. */
function joinUrl({ origin, pathname, search }: URL): TeamsMeeting | null {
  const [, context] = CONTEXT.exec(search) ?? [];
  try {
    const path = pathname.split('/').map(asTeamsEncodes).join('/');
    const url = `${origin}${path}${context === undefined ? '' : `?context=${asTeamsEncodes(context)}`}`;
    return { by: 'join_url', url };
  } catch {
    return null;
  }
}

/** Browsers, mails and programs decode parts of a link, or encode them in capitals. */
function asTeamsEncodes(part: string): string {
  return encodeURIComponent(decodeURIComponent(part)).replace(/%../g, (code) => code.toLowerCase());
}
