import { GatewayError } from '../../../base/errors.ts';
import type { Termination } from '../../../base/termination.ts';
import type { LegObserver } from '../../contract/call-leg.ts';
import type { CallWay } from '../../contract/connector.ts';
import { ApiRefusal } from '../../kit/connection-api.ts';
import { ANY_NUMBER, type MeetingDirectory, type MeetingEntry } from '../../kit/phone-meetings.ts';
import type { ZoomApi, ZoomMeeting, ZoomSipDialing } from '../api/zoom-api.ts';
import { joinWay, keysFor, lacking, type MeetingLink, ROOMS, readMeeting } from './meeting-target.ts';

/** Where a meeting has several numbers. */
const PREFERRED_COUNTRY = 'US';
const WAYS: readonly CallWay[] = [
  {
    name: 'SIP, as a room system',
    needs:
      "a Conference Room Connector of the meeting's host, and the id with the numeric passcode; or a connected Zoom user who has a plan of it",
  },
  {
    name: 'phone',
    needs:
      'a SIP trunk, and a number of the invitation with the id; or the link, and the connected Zoom user who hosts the meeting',
  },
];
const ANY_ROOM: MeetingEntry = { target: `sip:100000000@${ROOMS}`, dtmf: '' };

/** What Zoom tells of a meeting; each null if it tells this user nothing. */
export interface ZoomWays {
  readonly meeting: ZoomMeeting | null;
  readonly room: ZoomSipDialing | null;
  /** What needs no word of Zoom's: the operator's number, and for a link without a passcode the rooms' address. */
  readonly others: readonly MeetingEntry[];
}

/** Gives calls the streams of their meetings, beside their audio. */
export interface FollowsStreams {
  follow(call: FollowedCall, signal: AbortSignal): void;
}

export interface FollowedCall {
  readonly connectionId: string;
  /** Asks for the UUID of the meeting that takes place now. */
  readonly meetingUuid: () => Promise<string>;
  readonly observer: LegObserver;
  readonly own: { readonly name: string; readonly isPhone: boolean };
}

/**
 * Meetings of Zoom: by their address for room systems, or by phone. `dialIn`: the operator's dial-in number; null: none.
 * `streams` null: the operator has not set them up.
 */
export function zoomDirectory(
  api: ZoomApi,
  dialIn: string | null,
  streams: FollowsStreams | null,
): MeetingDirectory<MeetingLink, ZoomWays> {
  const numbers = (id: string, passcode = ''): MeetingEntry[] =>
    dialIn === null ? [] : [{ target: `tel:${dialIn}`, dtmf: keysFor(id, passcode) }];
  /** As without a connected user. */
  const linkWays = ({ id, hasPasscode }: MeetingLink): MeetingEntry[] =>
    hasPasscode ? [] : [...numbers(id), { target: `sip:${id}@${ROOMS}`, dtmf: '' }];
  return {
    platform: 'zoom',
    ways: WAYS,
    ...(streams !== null && { offers: ['read'] }),
    // Specification, "Native sample rates".
    sampleRateHz: 16_000,
    needsTrunk:
      'Joining a Zoom meeting needs a SIP trunk (PUT /api/sip/trunk), or zoomcrc.com among the hosts in SVC_SIP_DIRECT_HOSTS',
    likely: [ANY_NUMBER, ANY_ROOM],
    outcomes: ROOM_OUTCOMES,
    read(request) {
      const meeting = readMeeting(request.target);
      return meeting?.kind === 'link' && request.login.kind === 'connection' && request.dtmf === ''
        ? { kind: 'meeting', meeting }
        : { kind: 'dial', ...joinWay(request, dialIn) };
    },
    async find(connectionId, link, signal) {
      const meeting =
        link === null
          ? await api.createMeeting(connectionId, signal)
          : await unlessRefused(api.meeting(connectionId, link.id, signal));
      const id = meeting?.id ?? link!.id;
      const passcode = meeting?.h323_password ?? '';
      const room = await unlessRefused(api.sipDialing(connectionId, id, passcode, signal));
      const others = meeting === null ? linkWays(link!) : numbers(meeting.id, meeting.pstn_password);
      if (meeting === null && room === null && others.length === 0) {
        const text = `the connected Zoom user does not host this meeting, and ${lacking(link!)}`;
        throw new GatewayError('platform_failed', text);
      }
      return { meeting, room, others };
    },
    urlOf: ({ meeting }) => meeting?.join_url ?? '',
    entriesTo,
    /** Zoom tells the stream of a meeting only to its host. */
    follow({ connectionId, found: { meeting }, entry, displayName: name }, observer, signal) {
      if (streams === null || meeting === null) return;
      const meetingUuid = async () => (await api.meeting(connectionId, meeting.id, signal)).uuid ?? '';
      const own = { name, isPhone: !/^sips?:/i.test(entry.target) };
      streams.follow({ connectionId, meetingUuid, observer, own }, signal);
    },
  };
}

/** As a room system first if the user pays for it: that is wideband. Otherwise it may be the host who does. */
function entriesTo({ meeting, room, others }: ZoomWays): MeetingEntry[] {
  const rooms = room === null ? [] : [{ target: sipUri(room.sip_dialing), dtmf: '' }];
  const phones = [...(meeting === null ? [] : phonesOf(meeting)), ...others];
  const entries = room?.paid_crc_plan_participant === true ? [...rooms, ...phones] : [...phones, ...rooms];
  if (entries.length > 0) return entries;
  const text =
    'this meeting has neither a phone number nor a Conference Room Connector: its host needs one of these options of Zoom';
  throw new GatewayError('platform_failed', text);
}

/** Statuses of meetings that the user does not host, and of options that they do not have. */
const NOT_THEIRS: ReadonlySet<number> = new Set([400, 403, 404]);

async function unlessRefused<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiRefusal && NOT_THEIRS.has(error.answered)) return null;
    throw error;
  }
}

function sipUri(address: string): string {
  return /^sips?:/i.test(address) ? address : `sip:${address}`;
}

/** Toll numbers before free ones, which trunks of other countries often cannot reach; those of the preferred country first. */
function phonesOf({ id, pstn_password: passcode = '', settings }: ZoomMeeting): MeetingEntry[] {
  const rank = ({ type, country }: { type?: string | undefined; country?: string | undefined }) =>
    (type === 'tollfree' ? 2 : 0) + (country === PREFERRED_COUNTRY ? 0 : 1);
  const dtmf = keysFor(id, passcode);
  return (settings?.global_dial_in_numbers ?? [])
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ number }) => ({ target: `tel:${number.replace(/[^\d+]/g, '')}`, dtmf }));
}

const CLOSED: Termination = {
  result: 'refused',
  reason:
    'Zoom lets no room system in: the host has no Conference Room Connector, all its ports are in use, or the meeting excludes them',
};
const UNKNOWN: Termination = {
  result: 'failed',
  reason: 'Zoom knows no such meeting, it has not begun, or the passcode is wrong',
};

/** What the answers of Zoom's Conference Room Connector mean, by SIP status. */
const ROOM_OUTCOMES: ReadonlyMap<number, Termination> = new Map([
  [403, CLOSED],
  [603, CLOSED],
  [404, UNKNOWN],
  [480, UNKNOWN],
]);
