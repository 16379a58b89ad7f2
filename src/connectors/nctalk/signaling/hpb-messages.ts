import * as z from 'zod';
import { isRecord } from '../../../base/json.ts';
import { field, foreignJson } from '../../../base/platform-json.ts';
import { listOf } from '../objects.ts';

/**
 * Messages of a signaling server, as far as calls need them. Fields and types that are not known are left out, and so are elements of
 * lists that cannot be read: servers of all versions are met.
 * https://nextcloud-spreed-signaling.readthedocs.io/en/latest/standalone-signaling-api-v1/
 */

/** Entries of a list that are read. Talk's largest calls are smaller. */
const MAX_ENTRIES = 2_000;

const Id = z.string().min(1).max(1_000);

/** A list of such entries, without those that cannot be read. */
export function entries<Schema extends z.ZodType>(schema: Schema) {
  return listOf(schema, MAX_ENTRIES);
}

function list<Schema extends z.ZodType>(schema: Schema) {
  return entries(schema).catch([]);
}

/** Bits: in the call, with audio, with video, by phone. Old servers send a truth value. */
const InCall = z.union([z.number().int(), z.boolean().transform((isIn) => (isIn ? 7 : 0))]);

const JoinedSession = z.object({
  sessionid: Id,
  userid: field(z.string()),
  /** What the Nextcloud says of the user. */
  user: field(z.object({ displayname: field(z.string()) })),
});
export type JoinedSession = z.output<typeof JoinedSession>;

export const CallUser = z.object({
  sessionId: Id,
  inCall: field(InCall),
  userId: field(z.string()),
  displayName: field(z.string()),
  participantPermissions: field(z.number().int()),
  /** A service of the Nextcloud's, such as the bridge to phones. */
  internal: field(z.boolean()),
  /** Somebody whom such a service speaks for. */
  virtual: field(z.boolean()),
});
export type CallUser = z.output<typeof CallUser>;

const Event = z.object({
  target: z.string(),
  type: z.string(),
  join: list(JoinedSession),
  leave: list(Id),
  update: field(
    z.object({
      roomid: field(z.string()),
      incall: field(InCall),
      all: field(z.boolean()),
      users: list(CallUser),
    }),
  ),
  disinvite: field(z.object({ roomid: field(z.string()), reason: field(z.string()) })),
  switchto: field(z.object({ roomid: z.string() })),
  message: field(z.object({ roomid: field(z.string()), data: z.unknown() })),
});
export type HpbEvent = z.output<typeof Event>;

const FromSession = z.object({ sender: z.object({ sessionid: Id }), data: z.unknown() });

const Message = z.object({
  type: z.string(),
  id: field(z.string()),
  error: field(z.object({ code: z.string().max(100), message: field(z.string()) })),
  welcome: field(z.object({ features: list(z.string()) })),
  hello: field(z.object({ sessionid: Id, resumeid: field(Id) })),
  bye: field(z.object({ reason: field(z.string()) })),
  room: field(z.object({ roomid: field(z.string()) })),
  message: field(FromSession),
  control: field(FromSession),
  event: field(Event),
});
export type HpbMessage = z.output<typeof Message>;

/** Reads a message; null: it is none. */
export function readMessage(text: string): HpbMessage | null {
  return Message.safeParse(foreignJson(text)).data ?? null;
}

/** Longest session description that is read. One of a person with audio, video and simulcast has 6 KB. */
const MAX_SDP = 100_000;

const Candidate = z.object({
  candidate: field(z.string().max(2_000)),
  sdpMid: field(z.string().max(100)),
  sdpMLineIndex: field(z.number().int()),
});

/** What one session, or the server in its place, tells another one. */
const PeerData = z.object({
  type: z.string().max(100),
  /** Names one exchange of descriptions. */
  sid: field(z.string().max(200)),
  roomType: field(z.string()),
  payload: field(
    z.object({
      sdp: field(z.string().max(MAX_SDP)),
      candidate: field(Candidate),
      name: field(z.string()),
      action: field(z.string()),
      peerId: field(z.string()),
    }),
  ),
});
export type PeerData = z.output<typeof PeerData>;

export interface PeerMessage extends PeerData {
  /** The session that it comes from. */
  readonly from: string;
}

/** Reads what a session has sent, by message or by control; null: nothing that is known. */
export function peerMessage({ message, control }: HpbMessage): PeerMessage | null {
  if (control) return read(control.sender.sessionid, { type: 'control', payload: control.data });
  return message ? read(message.sender.sessionid, message.data) : null;
}

function read(from: string, data: unknown): PeerMessage | null {
  const parsed = isRecord(data) ? PeerData.safeParse(data).data : undefined;
  return parsed ? { ...parsed, from } : null;
}
