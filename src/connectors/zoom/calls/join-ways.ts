import { unreachable } from '../../../base/assert.ts';
import { GatewayError } from '../../../base/errors.ts';
import type { DialRequest } from '../../contract/connector.ts';
import { type MeetingTarget, ROOMS, readMeeting } from './meeting-target.ts';

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
  switch (meeting.kind) {
    case 'room':
      return meeting.uri;
    case 'id':
      return `sip:${meeting.id}${meeting.passcode === '' ? '' : `.${meeting.passcode}`}@${ROOMS}`;
    case 'phone':
      return meeting.hasKeys || dtmf !== '' ? meeting.text : null;
    case 'link':
      // Whoever knows the passcode may press it when asked.
      return meeting.hasPasscode && dtmf === '' ? null : `sip:${meeting.id}@${ROOMS}`;
    case 'named':
      return null;
    default:
      return unreachable(meeting);
  }
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
