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
const SHORT_PATH = /^\/meet\/(\d{9,20})$/;
const CONTEXT = /[?&](context=[^&]*)/;
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
  const url = URL.parse(/^https?:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`);
  const meeting = url === null ? null : meetingOf(url);
  if (meeting === null) throw new GatewayError('invalid_meeting_url', EXPECTED);
  return { kind: 'meeting', meeting };
}

function meetingOf(url: URL): TeamsMeeting | null {
  const { hostname, pathname, username, port } = url;
  if (hostname === PRIVATE_HOST) throw new GatewayError('invalid_meeting_url', PRIVATE);
  if (!HOSTS.test(hostname) || username !== '' || port !== '') return null;
  const [, id] = SHORT_PATH.exec(pathname.replace(/\/$/, '')) ?? [];
  if (id !== undefined) return { by: 'meeting_id', id };
  const inner = wrapped(url);
  if (inner !== null) return JOIN_PATH.test(inner.pathname) ? joinUrl(inner) : null;
  return JOIN_PATH.test(pathname) ? joinUrl(url) : null;
}

/** The link inside that of the page which asks where to open it, and of the web client. */
function wrapped({ origin, pathname, searchParams, hash }: URL): URL | null {
  const path = pathname.startsWith('/dl/launcher/') ? searchParams.get('url') : hash.replace(/^#/, '');
  const start = path?.indexOf('/l/meetup-join/') ?? -1;
  return start < 0 ? null : URL.parse(path!.slice(start), origin);
}

/** Graph compares links letter by letter: as they were made, without what clients add. */
function joinUrl({ origin, pathname, search }: URL): TeamsMeeting {
  const [, context] = CONTEXT.exec(search) ?? [];
  return { by: 'join_url', url: `${origin}${pathname}${context === undefined ? '' : `?${context}`}` };
}
