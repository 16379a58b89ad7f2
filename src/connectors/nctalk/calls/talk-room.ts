import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import type { PlatformHttp } from '../../kit/platform-http.ts';
import { type NextcloudUser, OcsClient } from '../ocs-client.ts';
import { CallUser, entries } from '../signaling/hpb-messages.ts';
import type { IceServer } from '../voice/talk-protocol.ts';

/** Bits of what somebody may do in a conversation. 0: whatever the defaults are. */
const MAY_PUBLISH_AUDIO = 16;
const MAY_CHAT = 128;

const SPREED = 'apps/spreed/api';
const LEAVE_MS = 3_000;
/** Nextcloud's own is 30 s. */
const PULL_MS = 45_000;
const NOTHING = z.unknown();

/** https://nextcloud-talk.readthedocs.io/en/latest/capabilities/ */
const Capabilities = z.object({
  capabilities: z.object({
    spreed: field(
      z.object({
        config: field(
          z.object({
            call: field(
              z.object({ enabled: field(z.boolean()), 'end-to-end-encryption': field(z.boolean()) }),
            ),
          }),
        ),
      }),
    ),
  }),
});

const Room = z.object({
  displayName: field(z.string()),
  sessionId: field(z.string()),
  permissions: field(z.number()),
  readOnly: field(z.number()),
  hasCall: field(z.boolean()),
  /** Unix time, in seconds. */
  callStartTime: field(z.number()),
  lastMessage: field(z.object({ id: z.number() })),
});
export type Room = z.output<typeof Room>;

const News = z.array(z.object({ type: z.string(), data: entries(CallUser).catch([]) }));

const Urls = z.array(z.string()).catch([]);
const Server = z.object({ urls: Urls, username: field(z.string()), credential: field(z.string()) });
const Settings = z.object({
  signalingMode: field(z.string()),
  server: field(z.string()),
  userId: field(z.string()),
  ticket: field(z.string()),
  helloAuthParams: field(z.object({ '2.0': field(z.object({ token: z.string() })) })),
  stunservers: field(z.array(Server)),
  turnservers: field(z.array(Server)),
});

/** How a room's calls are signaled. */
export interface SignalingSettings {
  /** Null: the Nextcloud has no signaling server, and its calls have no audio for bots. */
  readonly server: string | null;
  readonly token: string | null;
  readonly ticket: string;
  readonly userId: string;
  /** As the Nextcloud names them: they may be anywhere. */
  readonly iceServers: readonly IceServer[];
}

/** What a Nextcloud says of calls. */
export interface CallRules {
  readonly hasCalls: boolean;
  /** Media cannot be understood by the server, and neither by us. */
  readonly isEncrypted: boolean;
}

/** What is in the in-call bits. */
export const IN_CALL = { joined: 1, audio: 2 } as const;

/** A conversation of a Nextcloud, as one session of the bot uses it. All methods reject with a PlatformFailure. */
export class TalkRoom {
  readonly token: string;
  readonly user: NextcloudUser;
  /** Talk ties the participant to its session. */
  readonly #ocs: OcsClient;
  /** For what has nothing to do with the participant, and may be asked at the same time. */
  readonly #others: OcsClient;

  constructor(http: PlatformHttp, user: NextcloudUser, token: string) {
    this.token = token;
    this.user = user;
    this.#ocs = new OcsClient(http, user, { keepsSession: true });
    this.#others = new OcsClient(http, user);
  }

  async rules(signal: AbortSignal): Promise<CallRules> {
    const { data } = await this.#others.ask(
      { method: 'GET', path: 'cloud/capabilities', signal },
      Capabilities,
    );
    const call = data.capabilities.spreed?.config?.call;
    return {
      hasCalls: call?.enabled !== false,
      isEncrypted: call?.['end-to-end-encryption'] === true,
    };
  }

  /** Begins a session in the room. A former one of these cookies is over. */
  async join(): Promise<Room> {
    const path = `${SPREED}/v4/room/${this.token}/participants/active`;
    return (await this.#ocs.ask({ method: 'POST', path, json: { force: true } }, Room)).data;
  }

  /** Looks at the room without entering it. */
  async look(signal: AbortSignal): Promise<Room> {
    const path = `${SPREED}/v4/room/${this.token}`;
    return (await this.#others.ask({ method: 'GET', path, signal }, Room)).data;
  }

  async settings(signal: AbortSignal): Promise<SignalingSettings> {
    const { data } = await this.#others.ask(
      { method: 'GET', path: `${SPREED}/v3/signaling/settings`, query: { token: this.token }, signal },
      Settings,
    );
    const { server, signalingMode, ticket = '', userId, helloAuthParams } = data;
    return {
      server: server && signalingMode !== 'internal' ? server : null,
      token: helloAuthParams?.['2.0']?.token || null,
      ticket,
      userId: userId ?? this.user.userId,
      iceServers: [...(data.stunservers ?? []), ...(data.turnservers ?? [])].map(iceServer),
    };
  }

  /**
   * Enters the call, or starts it. People are told in Nextcloud when a bot may be recorded, so it agrees; a Nextcloud that wants no
   * such consent ignores that.
   */
  async enterCall(flags: number): Promise<void> {
    const json = { flags, silent: false, recordingConsent: true };
    await this.#ocs.ask({ method: 'POST', path: this.#call, json }, NOTHING);
  }

  /** Where there is no signaling server: waits for news, up to half a minute, and returns everybody's state. */
  async pull(signal: AbortSignal): Promise<readonly CallUser[]> {
    const path = `${SPREED}/v3/signaling/${this.token}`;
    const { data } = await this.#ocs.ask({ method: 'GET', path, signal, deadlineMs: PULL_MS }, News);
    return data.findLast(({ type }) => type === 'usersInRoom')?.data ?? [];
  }

  /** Changes the bot's state in the call. */
  async changeFlags(flags: number, signal: AbortSignal): Promise<void> {
    await this.#ocs.ask({ method: 'PUT', path: this.#call, json: { flags }, signal }, NOTHING);
  }

  async leaveCall(): Promise<void> {
    await this.#ocs.ask({ method: 'DELETE', path: this.#call, deadlineMs: LEAVE_MS }, NOTHING);
  }

  /** Leaves the room: the session is over. */
  async leave(): Promise<void> {
    const path = `${SPREED}/v4/room/${this.token}/participants/active`;
    await this.#ocs.ask({ method: 'DELETE', path, deadlineMs: LEAVE_MS }, NOTHING);
  }

  get #call(): string {
    return `${SPREED}/v4/call/${this.token}`;
  }
}

/** Whether somebody with these permissions may speak. */
export function maySpeak(permissions: number | undefined): boolean {
  return !permissions || (permissions & MAY_PUBLISH_AUDIO) !== 0;
}

export function mayWrite({ permissions, readOnly }: Room): boolean {
  return readOnly !== 1 && (!permissions || (permissions & MAY_CHAT) !== 0);
}

function iceServer({ urls, username, credential }: z.output<typeof Server>): IceServer {
  return { urls, ...(username && { username }), ...(credential && { credential }) };
}
