import { GatewayError } from '../../../base/errors.ts';
import { match } from '../../../base/match.ts';
import type { DialRequest } from '../../contract/connector.ts';

/** What the agent wants to join, as far as the text tells. */
export type MeetingTarget =
  /** A meeting's address for room systems: `<id>.<passcode>@zoomcrc.com`. */
  | { readonly kind: 'room'; readonly uri: string }
  /** The id alone, with the numeric passcode if it has one. */
  | { readonly kind: 'id'; readonly id: string; readonly passcode: string }
  /** A dial-in number, with the keys that follow it: `+16465588656,,81234567890#`. */
  | { readonly kind: 'phone'; readonly text: string; readonly hasKeys: boolean }
  /** A link to a meeting. Its `pwd` is a hash, which only Zoom's own clients understand. */
  | MeetingLink
  /** A link that does not contain the meeting's id. */
  | { readonly kind: 'named'; readonly what: string };

export interface MeetingLink {
  readonly kind: 'link';
  readonly id: string;
  readonly hasPasscode: boolean;
}

/** Zoom's own room systems; the name of its Conference Room Connector. */
export const ROOMS = 'zoomcrc.com';

/** A meeting's id has 9 to 11 digits. */
const ID = /^\d{9,11}$/;
/** People write an id in groups. */
const SPACED = /(?<=\d)[ -](?=\d)/g;
const ID_AND_PASSCODE = /^(\d{9,11})(?:\.(\d{1,10}))?$/;
/** Id, and after dots what a room system may add: passcode, layout, host key, participant's code. */
const ROOM_USER = /^\d{9,11}(?:\.[\w*#-]{0,32}){0,8}$/;
const ROOM = /^(?:(sips?):)?([^@]+)@([^@]+)$/i;
const PHONE = /^(?:tel:|\+|%2B)/i;
/** What presses keys: a pause, a wait that is no parameter, or RFC 3601's parameter. */
const KEYS = /[,pw]|;(?![a-z-]+=)|;postd=/i;
/** Domains of Zoom and of its regional offerings, and what their customers have below them. */
const ZOOM_HOST = /^(?:[a-z0-9-]+\.)*(?:zoom\.us|zoom\.com|zoom\.com\.cn|zoom-x\.de|zoomgov\.com)$/;
/** Schemes that open Zoom's applications. */
const APP_SCHEME = /^zoom(?:mtg|us):$/;
/** Longest text that is read. */
const MAX_CHARACTERS = 2_048;

/**
 * Reads a `meeting_url`: a link, a room system's address, a dial-in number, or the bare id of a meeting, with its passcode after
 * a dot. Null when it is none of them.
 */
export function readMeeting(text: string): MeetingTarget | null {
  const plain = text.trim();
  if (plain.length > MAX_CHARACTERS) return null;
  if (PHONE.test(plain))
    return { kind: 'phone', text: plain, hasKeys: KEYS.test(plain.replace(/^tel:/i, '')) };
  return bareId(plain) ?? room(plain) ?? link(plain);
}

function bareId(text: string): MeetingTarget | null {
  const user = text.replace(SPACED, '');
  const [, id, passcode = ''] = ID_AND_PASSCODE.exec(user) ?? [];
  if (id !== undefined) return { kind: 'id', id, passcode };
  return ROOM_USER.test(user) ? { kind: 'room', uri: `sip:${user}@${ROOMS}` } : null;
}

function room(text: string): MeetingTarget | null {
  const [, scheme = 'sip', user = '', place = ''] = ROOM.exec(text) ?? [];
  return ROOM_USER.test(user) ? { kind: 'room', uri: `${scheme}:${user}@${place}` } : null;
}

function link(text: string): MeetingTarget | null {
  const url = urlOf(text);
  if (url === null) return null;
  const path = url.pathname.split('/').filter((part) => part !== '');
  const id = idIn(path) ?? url.searchParams.get('confno');
  if (id !== null && ID.test(id)) return { kind: 'link', id, hasPasscode: hasValue(url, 'pwd') };
  return { kind: 'named', what: path[0] === 'my' ? 'a personal link' : 'this link' };
}

/** Null when it is no page of Zoom's. */
function urlOf(text: string): URL | null {
  const joined = text.replace(SPACED, '');
  const full = /^[a-z][a-z0-9+.-]*:/i.test(joined) ? joined : `https://${joined}`;
  if (/\s/.test(joined) || !URL.canParse(full)) return null;
  const url = new URL(full);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  if (!isWeb && !APP_SCHEME.test(url.protocol)) return null;
  const isPlain = url.username === '' && url.password === '' && url.port === '';
  return isPlain && ZOOM_HOST.test(url.hostname.toLowerCase()) ? url : null;
}

/** `/j/ID`, `/s/ID`, `/w/ID`, `/wc/ID/join`, `/wc/join/ID`, `/launch/jc/ID`, and the host's `/meeting/ID`. */
function idIn([first, ...others]: readonly string[]): string | null {
  const where = /^(?:j|s|w|wc|launch|meeting)$/.test(first ?? '') ? others : [];
  return where.map((part) => part.replace(/%20|%C2%A0|[+-]/g, '')).find((part) => ID.test(part)) ?? null;
}

function hasValue({ searchParams }: URL, name: string): boolean {
  return (searchParams.get(name) ?? '') !== '';
}

type Request = Pick<DialRequest, 'target' | 'dtmf'>;

/** What is dialled for a meeting: `rather`, by accounts that can. */
export interface JoinWay {
  readonly target: string;
  readonly rather?: string;
}

/**
 * Chooses the way into a meeting: its address for room systems, or its dial-in number. What may be either is rather dialled
 * at the operator's number, `dialIn`: only a call tells whether its host has a Conference Room Connector. Throws GatewayError
 * `meeting_url_required` and `invalid_meeting_url`, which says what each way lacks.
 */
export function joinWay({ target: text, dtmf }: Request, dialIn: string | null): JoinWay {
  if (text.trim() === '') throw new GatewayError('meeting_url_required');
  const meeting = readMeeting(text);
  if (meeting === null) throw new GatewayError('invalid_meeting_url', UNKNOWN);
  const target = dialled(meeting, dtmf);
  if (target === null) throw new GatewayError('invalid_meeting_url', lacking(meeting));
  const rather = dialIn !== null && dtmf === '' ? numberFor(meeting, dialIn) : null;
  return rather === null ? { target } : { target, rather };
}

/** Keys that let a caller in at any dial-in number; `passcode` '': there is none. */
export function keysFor(id: string, passcode: string): string {
  return passcode === '' ? `,,${id}#` : `,,${id}#,,,,*${passcode}#`;
}

function numberFor(meeting: MeetingTarget, dialIn: string): string | null {
  if (meeting.kind === 'id') return `${dialIn}${keysFor(meeting.id, meeting.passcode)}`;
  return meeting.kind === 'link' ? `${dialIn}${keysFor(meeting.id, '')}` : null;
}

/** Returns what is dialled; null when something is missing. */
function dialled(meeting: MeetingTarget, dtmf: string): string | null {
  return match(meeting, 'kind', {
    room: (meeting) => meeting.uri,
    id: (meeting) => `sip:${meeting.id}${meeting.passcode === '' ? '' : `.${meeting.passcode}`}@${ROOMS}`,
    phone: (meeting) => (meeting.hasKeys || dtmf !== '' ? meeting.text : null),
    // Whoever knows the passcode may press it when asked.
    link: (meeting) => (meeting.hasPasscode && dtmf === '' ? null : `sip:${meeting.id}@${ROOMS}`),
    named: () => null,
  });
}

const UNKNOWN = `meeting_url is no Zoom meeting; send a link (https://zoom.us/j/ID), an address (ID.PASSCODE@${ROOMS}), or a number with the id (+16465588656,,ID#)`;

/** Says what is missing to join a meeting, and what would do instead. */
export function lacking(meeting: MeetingTarget): string {
  if (meeting.kind === 'phone')
    return 'the number alone leads to no meeting; send it with the id, as the invitation has it: +16465588656,,ID#,,,,*PASSCODE#';
  const id = meeting.kind === 'link' ? meeting.id : 'ID';
  const what =
    meeting.kind === 'named'
      ? `${meeting.what} does not contain the id of its meeting`
      : 'the passcode in this link is encoded, so that only apps of Zoom can use it';
  return `${what}; send ${id}.PASSCODE@${ROOMS}, with the numeric passcode, if the host has a Conference Room Connector, or, with a SIP trunk, a number of the invitation: +16465588656,,${id}#,,,,*PASSCODE#`;
}
