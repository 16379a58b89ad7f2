import { DaveGroup } from './dave-group.ts';
import { OP, type VoiceClient } from './opcodes.ts';
import type { MediaFrame } from './rtp-datagram.ts';

/** One who is in the call: a bot's session or a person. */
export interface Participant extends VoiceClient {
  readonly ssrc: number;
  readonly hasDave: boolean;
  readonly isSpeaking: boolean;
  hear(frame: MediaFrame, fromUserId: string): void;
}

/** What official clients announce of themselves. */
const CLIENT_FLAGS = 0;
const PLATFORM = 0;

/** What goes on in one voice channel: tells everybody who is there, hands frames on, and keeps the DAVE group. */
export class VoiceCall {
  readonly channelId: string;
  readonly dave: DaveGroup;
  /** When people and bots came and went, on the clock of `performance.now()`. */
  readonly changes: { readonly atMs: number; readonly userId: string; readonly kind: 'join' | 'leave' }[] =
    [];
  readonly #participants = new Map<string, Participant>();

  constructor(channelId: string) {
    this.channelId = channelId;
    this.dave = new DaveGroup(channelId);
  }

  get participants(): readonly Participant[] {
    return [...this.#participants.values()];
  }

  /** Whether all participants share the keys of one epoch, or do without together. */
  get isSettled(): boolean {
    return this.dave.isSettled;
  }

  /** The others learn of the newcomer, and the newcomer of the others. */
  join(participant: Participant): void {
    this.#participants.set(participant.userId, participant);
    this.#note('join', participant.userId);
    const others = this.#others(participant.userId);
    for (const other of others) announce(participant, other);
    if (others.length > 0) {
      participant.tell(OP.clientsConnect, { user_ids: others.map(({ userId }) => userId) });
    }
    for (const { userId } of others) describe(userId, participant);
  }

  /** From now on the participant takes part in encryption. */
  startMedia(participant: Participant): void {
    if (participant.hasDave) void this.dave.join(participant);
    void this.#negotiate();
    for (const other of this.#others(participant.userId)) {
      if (other.isSpeaking) participant.tell(OP.speaking, speakingOf(other, 1));
    }
  }

  leave(userId: string): void {
    if (!this.#participants.delete(userId)) return;
    this.#note('leave', userId);
    for (const other of this.participants) other.tell(OP.clientDisconnect, { user_id: userId });
    void this.dave.leave(userId);
    void this.#negotiate();
  }

  speaking(participant: Participant, speaking: number): void {
    for (const other of this.#others(participant.userId)) {
      other.tell(OP.speaking, speakingOf(participant, speaking));
    }
  }

  forward(fromUserId: string, frame: MediaFrame): void {
    if (!this.#participants.has(fromUserId)) return;
    for (const other of this.#others(fromUserId)) other.hear(frame, fromUserId);
  }

  close(): void {
    this.dave.close();
  }

  /** One client without DAVE is enough for all to do without. */
  #negotiate(): Promise<void> {
    return this.dave.want(this.participants.every(({ hasDave }) => hasDave) ? 1 : 0);
  }

  #others(userId: string): readonly Participant[] {
    return this.participants.filter((participant) => participant.userId !== userId);
  }

  #note(kind: 'join' | 'leave', userId: string): void {
    this.changes.push({ atMs: performance.now(), userId, kind });
  }
}

function announce({ userId }: Participant, to: Participant): void {
  to.tell(OP.clientsConnect, { user_ids: [userId] });
  describe(userId, to);
}

function describe(userId: string, to: Participant): void {
  to.tell(OP.clientFlags, { user_id: userId, flags: CLIENT_FLAGS });
  to.tell(OP.clientPlatform, { user_id: userId, platform: PLATFORM });
}

function speakingOf({ userId, ssrc }: Participant, speaking: number) {
  return { user_id: userId, ssrc, speaking };
}
