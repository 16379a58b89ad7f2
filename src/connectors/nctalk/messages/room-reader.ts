import { type Address, channelAddress, keyOfLogin } from '../../../base/address.ts';
import { isDiskFull } from '../../../base/errors.ts';
import { EventLoopLimit } from '../../../base/event-loop-limit.ts';
import type { FairShare } from '../../../base/fair-share.ts';
import { LimitedMap } from '../../../base/limited-map.ts';
import { wallMs } from '../../../base/wall-ms.ts';
import type { MessageIntake } from '../../contract/messenger.ts';
import { ignored } from '../../kit/ignored.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { TalkApi } from '../client.ts';
import type { NextcloudTalkObserver } from '../nctalk-observer.ts';
import type { Message } from '../objects.ts';
import { failureOf } from '../ocs-client.ts';
import { commandIn, type Place, type Reader, readMessage } from './message-reading.ts';
import type { RoomRegistry } from './room-registry.ts';

const REQUEST_MS = 15_000;
/** For the reads of others. */
const WAIT = {
  withinMs: 60_000,
  refusal: () => new PlatformFailure('later', 'Too many rooms are being read'),
};
/** The owner may have written the command before the room was looked into for the first time. */
const FIRST_LOOK_BACK_S = 600;
/** A post may come after its message was found by polling. */
const FRESH_MS = 10_000;
const MAX_FRESH = 1_000;
/** A message that cannot be stored is skipped, and lost, after so many tries; later ones proceed. */
const MAX_TRIES = 20;
const NOT_FOUND = 404;
/** What Talk says in a room when its call starts, or ends. */
const CALL_CHANGES: ReadonlySet<string> = new Set(['call_started', 'call_ended', 'call_ended_everyone']);
/** Nothing is shown in a lobby. */
const IN_LOBBY = 412;

export interface RoomReaderDeps {
  readonly reader: Reader;
  readonly api: TalkApi;
  readonly rooms: RoomRegistry;
  readonly reads: FairShare;
  readonly observer: NextcloudTalkObserver;
  readonly signal: AbortSignal;
  intake(): MessageIntake;
  /** A call has started or ended in a room. */
  callChanged(token: string): void;
  /** The owner has written a command in a room. Resolves once it is carried out. */
  commanded(command: 'activate' | 'deactivate', place: Place, message: Message): Promise<void>;
}

interface Looking {
  readonly now: Promise<Address | null>;
  /** Begins when the one before has ended. */
  next: Promise<Address | null> | null;
}

/** Stores what is written in the rooms of one login. A room is read by one at a time, from where it was last read to. */
export class RoomReader {
  readonly #deps: RoomReaderDeps;
  readonly #looking = new Map<string, Looking>();
  readonly #limit = new EventLoopLimit(1);
  /** The last new message of each room, until a post has come for it. */
  readonly #fresh = new LimitedMap<{ readonly from: Address; readonly untilMs: number }>(MAX_FRESH);
  /** Failures to store the message after a position, by room. */
  readonly #tries = new Map<string, { readonly position: number; readonly count: number }>();

  constructor(deps: RoomReaderDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves once everything is stored that was written in the room before the call: with the address of the last new
   * message, or null without any. Rejects with a PlatformFailure, or when it cannot be stored now.
   */
  look(token: string): Promise<Address | null> {
    const looking = this.#looking.get(token);
    if (looking) {
      looking.next ??= looking.now.then(
        () => this.look(token),
        () => this.look(token),
      );
      return looking.next;
    }
    const now = this.#look(token).finally(() => this.#looking.delete(token));
    this.#looking.set(token, { now, next: null });
    return now;
  }

  /** As `look`, because of a post, whose message may have been found before it. */
  async called(token: string): Promise<Address | null> {
    const from = await this.look(token);
    const fresh = this.#fresh.get(token);
    this.#fresh.delete(token);
    return from ?? (fresh && fresh.untilMs > wallMs() ? fresh.from : null);
  }

  async settled(): Promise<void> {
    await Promise.allSettled([...this.#looking.values()].map(({ now }) => now));
  }

  async #look(token: string): Promise<Address | null> {
    try {
      const place = this.#deps.rooms.placeOf(token) ?? (await this.#arrive(token));
      return place === null ? null : await this.#read(place);
    } catch (error) {
      const { kind, status } = failureOf(error);
      if (kind === 'refused' && status === IN_LOBBY) return null;
      if (kind !== 'refused' || status !== NOT_FOUND) throw error;
      await this.#leave(token);
      return null;
    }
  }

  /** Asks what a room is. */
  async #arrive(token: string): Promise<Place | null> {
    const { rooms, observer, api } = this.#deps;
    const place = rooms.noted(await this.#ask((options) => api.room(token, options)));
    if (place === null) observer.count('room_ignored');
    else if (place.kind === 'channel' && rooms.matters(place)) await this.#reachable(token, true);
    return place;
  }

  /** The bot is not in a room, or no longer. */
  async #leave(token: string): Promise<void> {
    const { rooms } = this.#deps;
    const wasHeard = rooms.isHeard(token);
    const isDirect = rooms.placeOf(token)?.kind === 'direct';
    rooms.left(token);
    if (wasHeard && !isDirect) await this.#reachable(token, false);
  }

  async #reachable(token: string, isReachable: boolean): Promise<void> {
    const { reader, intake } = this.#deps;
    await intake().reachable(channelAddress(reader.login, token), isReachable);
  }

  async #read(place: Place): Promise<Address | null> {
    const { api, rooms } = this.#deps;
    let last: Address | null = null;
    let position = rooms.positionIn(place) ?? (await this.#firstPosition(place));
    for (;;) {
      const from = position;
      const { messages, nextId } = await this.#ask((options) =>
        api.messagesAfter(place.token, from, options),
      );
      last = (await this.#takeAll(place, messages, from)) ?? last;
      if (nextId === null) return last;
      position = nextId;
      await rooms.advance(place, position);
    }
  }

  /** Returns the position before the messages of the last ten minutes. */
  async #firstPosition({ token }: Place): Promise<number> {
    const newestFirst = await this.#ask((options) => this.#deps.api.messagesBefore(token, 0, options));
    const since = wallMs() / 1_000 - FIRST_LOOK_BACK_S;
    return newestFirst.find(({ timestamp }) => timestamp < since)?.id ?? (newestFirst.at(-1)?.id ?? 1) - 1;
  }

  /** Stores a page in its order, and goes back to a message that cannot be stored. */
  async #takeAll(place: Place, messages: readonly Message[], from: number): Promise<Address | null> {
    let last: Address | null = null;
    let position = from;
    for (const message of messages) {
      try {
        await this.#limit.enter();
        last = (await this.#take(place, message)) ?? last;
      } catch (error) {
        if (position > from) await this.#deps.rooms.advance(place, position);
        if (!this.#isHopeless(place.token, position, error)) throw error;
      }
      position = message.id;
    }
    return last;
  }

  /** Returns the address of a message that is new. */
  async #take(place: Place, message: Message): Promise<Address | null> {
    const { reader, rooms, intake, commanded, callChanged } = this.#deps;
    if (CALL_CHANGES.has(message.systemMessage)) callChanged(place.token);
    const command = place.kind === 'channel' ? commandIn(message, reader) : null;
    if (command !== null) {
      await commanded(command, place, message);
      return null;
    }
    const reading = rooms.matters(place) ? readMessage(message, place, reader) : null;
    if (reading === null || rooms.isSealed(place.token, reading)) return this.#ignored(message);
    if (reading.kind === 'edited') {
      await intake().edited(reading.from, reading.messageId, reading.text);
      return null;
    }
    if (reading.kind === 'reaction') {
      await intake().reacted(reading.from, reading.reaction);
      return null;
    }
    const { from } = reading.inbound;
    if ((await intake().received(reading.inbound)) !== 'stored') return null;
    this.#fresh.set(place.token, { from, untilMs: wallMs() + FRESH_MS });
    return from;
  }

  /** The bot's own messages are no news, and are not counted. */
  #ignored({ actorId, messageType, systemMessage }: Message): null {
    const { observer, reader } = this.#deps;
    if (actorId !== reader.ownId)
      ignored(observer, 'message_ignored', `${messageType} ${systemMessage}`.trim());
    return null;
  }

  #isHopeless(token: string, position: number, error: unknown): boolean {
    const { observer } = this.#deps;
    const known = this.#tries.get(token);
    const count = known?.position === position ? known.count + 1 : 1;
    // A full disk is not the message's fault: it stays in the room until there is space.
    if (!isDiskFull(error)) this.#tries.set(token, { position, count });
    if (count < MAX_TRIES) return false;
    this.#tries.delete(token);
    observer.log('error', 'a message of Nextcloud Talk could not be stored, and is skipped', { err: error });
    return true;
  }

  async #ask<T>(ask: (options: { deadlineMs: number; signal: AbortSignal }) => Promise<T>): Promise<T> {
    const { reads, reader, signal } = this.#deps;
    return await reads.run(keyOfLogin(reader.login), WAIT, () => ask({ deadlineMs: REQUEST_MS, signal }));
  }
}
