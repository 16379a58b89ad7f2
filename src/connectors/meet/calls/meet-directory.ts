import { GatewayError } from '../../../base/errors.ts';
import { type Clock, pause } from '../../../base/time.ts';
import type { Participant } from '../../contract/call-leg.ts';
import type { CallWay } from '../../contract/connector.ts';
import {
  ANY_NUMBER,
  type MeetingDirectory,
  type MeetingEntry,
  type MeetingTarget,
} from '../../kit/phone-meetings.ts';
import type { MeetApi, MeetPerson, MeetSpace } from '../api/meet-api.ts';

/** Where a meeting has several numbers: most have one there. */
const PREFERRED_REGION = 'US';

const WAYS: readonly CallWay[] = [
  {
    name: "SIP, at the organizer's gateway",
    needs:
      "the gateway's host in SVC_SIP_DIRECT_HOSTS, and a connected Google account that may see the meeting",
  },
  {
    name: 'phone',
    needs:
      'a SIP trunk, and the number of the invitation with its PIN; or the link, and a connected Google account that may see the meeting. The organizer needs Google Workspace',
  },
];

/** Meetings of Google Meet, by their codes. */
export function meetDirectory(api: MeetApi, clock: Clock): MeetingDirectory<string, MeetSpace> {
  return {
    platform: 'meet',
    ways: WAYS,
    // Specification, "Native sample rates".
    sampleRateHz: 48_000,
    needsAccount:
      'Finding the number of a Meet meeting needs a connected Google account; without one, give its phone number with the PIN: +16505551234,,123456789#',
    needsTrunk: 'Meet is joined by phone, which needs a SIP trunk: PUT /api/sip/trunk',
    likely: [ANY_NUMBER],
    read: ({ target }) => readMeetingTarget(target),
    find: async (connectionId, code, signal) =>
      code === null
        ? await api.createSpace(connectionId, signal)
        : await api.space(connectionId, code, signal),
    urlOf: ({ meetingUri }) => meetingUri ?? '',
    entriesTo,
    follow({ connectionId, found }, observer, signal) {
      const spaceId = found.name.replace(/^spaces\//, '');
      const polled = { api, clock, connectionId, spaceId };
      void pollParticipants(polled, (list) => observer.participants(list), signal);
    },
  };
}

/** By SIP first, because that is wideband: an organizer who has a gateway pays for it. */
function entriesTo({ gatewaySipAccess, phoneAccess }: MeetSpace): MeetingEntry[] {
  const phone = phoneAccess.find(({ regionCode }) => regionCode === PREFERRED_REGION) ?? phoneAccess[0];
  const entries = gatewaySipAccess.map(({ uri }) => ({ target: uri, dtmf: '' }));
  if (phone !== undefined) entries.push({ target: `tel:${phone.phoneNumber}`, dtmf: `${phone.pin}#` });
  if (entries.length > 0) return entries;
  const text = 'this meeting has no phone number: its organizer needs Google Workspace with dial-in';
  throw new GatewayError('platform_failed', text);
}

const INTERVAL_MS = 10_000;

interface Polled {
  readonly api: MeetApi;
  readonly clock: Clock;
  readonly connectionId: string;
  readonly spaceId: string;
}

/**
 * Tells who takes part, every ten seconds until `signal` aborts: Meet tells only when it is asked. An answer that fails is
 * left out, because the call does not depend on it.
 */
async function pollParticipants(
  { api, clock, connectionId, spaceId }: Polled,
  told: (list: readonly Participant[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let conference: string | undefined;
  while (!signal.aborted) {
    try {
      // A conference begins when the first one joins, which may be us.
      conference ??= (await api.space(connectionId, spaceId, signal)).activeConference?.conferenceRecord;
      if (conference !== undefined) {
        const list = await api.participants(connectionId, conference, signal);
        if (!signal.aborted) told(withoutAgent(list));
      }
    } catch {
      conference = undefined;
    }
    await pause(clock, INTERVAL_MS, signal);
  }
}

/** The agent is a phone. Of several, nobody tells which one. */
function withoutAgent(list: readonly MeetPerson[]): Participant[] {
  const isOnlyPhone = list.filter(({ isPhone }) => isPhone).length === 1;
  return list.filter(({ isPhone }) => !(isPhone && isOnlyPhone)).map(({ id, name }) => ({ id, name }));
}

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
