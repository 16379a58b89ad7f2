import type { Attendee, TalkSession } from '../world/attendee.ts';
import type { FakeMessage } from '../world/fake-message.ts';
import type { FakeNcUser } from '../world/fake-nc-user.ts';
import type { FakeRoom, RoomWatcher } from '../world/fake-room.ts';
import { newWord } from '../world/nc-ids.ts';
import type { HpbSettings } from './hpb-settings.ts';
import { participantOf, permissionsOf, propertiesOf } from './room-for-signaling.ts';

/** Tells the signaling server what happens in conversations (Talk's lib/Signaling/BackendNotifier.php). */
export class HpbNotifier implements RoomWatcher {
  /** Those that the signaling server did not take. */
  readonly failures: string[] = [];
  readonly #settings: HpbSettings;
  readonly #origin: () => string;
  #last: Promise<void> = Promise.resolve();

  constructor(settings: HpbSettings, origin: () => string) {
    this.#settings = settings;
    this.#origin = origin;
  }

  joined(room: FakeRoom, attendees: readonly Attendee[]): void {
    const userids = attendees.map(({ user }) => user.uid);
    this.#notify(room, 'invite', { userids, ...everyone(room), properties: propertiesOf(room) });
  }

  left(room: FakeRoom, user: FakeNcUser, sessions: readonly TalkSession[]): void {
    const about = { ...everyone(room), properties: propertiesOf(room) };
    this.#notify(room, 'disinvite', { userids: [user.uid], ...about });
    if (sessions.length > 0) this.#notify(room, 'disinvite', { sessionids: idsOf(sessions), ...about });
  }

  /** Of people who leave it hears by themselves. */
  sessionsReplaced(room: FakeRoom, sessions: readonly TalkSession[]): void {
    const about = { ...everyone(room), properties: propertiesOf(room) };
    this.#notify(room, 'disinvite', { sessionids: idsOf(sessions), ...about });
  }

  roomChanged(room: FakeRoom): void {
    this.#notify(room, 'update', { userids: uidsOf(room), properties: propertiesOf(room) });
  }

  deleted(room: FakeRoom, users: readonly FakeNcUser[]): void {
    this.#notify(room, 'delete', { userids: users.map(({ uid }) => uid) });
  }

  participantsChanged(room: FakeRoom, sessions: readonly TalkSession[]): void {
    const changed = sessions.map((session) => ({
      ...participantOf(session),
      permissions: permissionsOf(session.attendee),
    }));
    this.#notify(room, 'participants', { changed, users: room.sessions.map(participantOf) });
  }

  inCallChanged(room: FakeRoom, flags: number, sessions: readonly TalkSession[] | null): void {
    const about = sessions
      ? { changed: sessions.map(participantOf), users: room.call.sessions.map(participantOf) }
      : { all: true };
    this.#notify(room, 'incall', { incall: flags, ...about });
  }

  /** What does not count as activity is not told. */
  wrote(room: FakeRoom, { verb, system }: FakeMessage): void {
    const isQuiet = verb === 'reaction' || /^(?:message_|reaction_)/.test(system ?? '');
    if (!isQuiet) this.#notify(room, 'message', { data: { type: 'chat', chat: { refresh: true } } });
  }

  /** Resolves when all was sent. */
  async idle(): Promise<void> {
    for (let last = null; last !== this.#last; ) {
      last = this.#last;
      await last;
    }
  }

  /** One after the other, as PHP does within a request. */
  #notify({ token }: FakeRoom, type: string, about: object): void {
    if (this.#settings.url === '') return;
    const body = JSON.stringify({ type, [type]: about });
    this.#last = this.#last.then(() => this.#send(`/api/v1/room/${token}`, body, type));
  }

  async #send(path: string, body: string, type: string): Promise<void> {
    const random = newWord(64);
    try {
      const { status } = await fetch(`${this.#settings.url.replace(/^ws/, 'http')}${path}`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'Spreed-Signaling-Random': random,
          'Spreed-Signaling-Checksum': this.#settings.checksum(random, body),
          'Spreed-Signaling-Backend': `${this.#origin()}/`,
        },
        body,
        signal: AbortSignal.timeout(10_000),
      });
      if (status !== 200) this.failures.push(`${type}: ${status}`);
    } catch (error) {
      this.failures.push(`${type}: ${error}`);
    }
  }
}

function everyone(room: FakeRoom) {
  return { alluserids: uidsOf(room) };
}

function uidsOf({ attendees }: FakeRoom): string[] {
  return [...attendees.keys()];
}

function idsOf(sessions: readonly TalkSession[]): string[] {
  return sessions.map(({ id }) => id);
}
