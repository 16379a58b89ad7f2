import type { ReadingTime } from '../../../base/reading-time.ts';
import type { Clock } from '../../../base/time.ts';
import type { Registration } from '../../kit/oauth-platform.ts';
import type { LogMeetings } from '../../kit/phone-meetings.ts';
import type { StreamId } from './rtms-protocol.ts';
import { RtmsStream, type StreamObserver } from './rtms-stream.ts';

/** Streams that have begun and not ended, as far as Zoom told: of all users, and of one. Beyond them the oldest without a call is forgotten. */
const MAX_STREAMS = 5_000;
const MAX_STREAMS_OF_USER = 20;
/** When Zoom could not say which meeting a call is in. */
const ASK_AGAIN_MS = 15_000;

/** A stream that has begun. */
export interface StartedStream extends StreamId {
  /** Of the signaling server. */
  readonly url: string;
  /** Zoom's id of the user who has the app, and started the stream. */
  readonly userId: string;
}

/** A call that wants the stream of its meeting. */
export interface StreamFollower {
  /** Zoom's id of the connected user. */
  readonly userId: string;
  /** Asks for the meeting that takes place now. Rejects if it cannot be told. */
  meetingUuid(): Promise<string>;
  /** What the stream tells. It begins again from nothing with each stream. */
  readonly observer: StreamObserver;
}

export interface RegistryDeps {
  readonly app: Registration;
  readonly clock: Clock;
  readonly readingTime: ReadingTime;
  readonly log: LogMeetings;
}

interface Known {
  started: StartedStream;
  readonly followers: Set<StreamFollower>;
  /** Null: no call wants it. */
  stream: RtmsStream | null;
  /** What was told last, for calls that come later. */
  people: ReadonlyMap<string, string>;
  speaker: string | null;
  hasChat: boolean;
}

/**
 * The streams of the app's users, and the calls into their meetings. A call gets the stream of a meeting only by the user
 * who started it, so nobody hears of the meetings of others.
 */
export class StreamRegistry {
  readonly #deps: RegistryDeps;
  readonly #streams = new Map<string, Known>();
  readonly #waiting = new Set<StreamFollower>();

  constructor(deps: RegistryDeps) {
    this.#deps = deps;
  }

  /** A stream has begun, or another server carries it. */
  started(started: StartedStream): void {
    const known = this.#streams.get(started.streamId);
    if (known !== undefined) {
      // Zoom repeats an event whose answer it has not seen.
      if (known.started.url === started.url) known.stream?.interrupted();
      else known.stream?.moved(started.url);
      known.started = started;
      return;
    }
    this.#makeRoomFor(started.userId);
    this.#streams.set(started.streamId, newlyKnown(started));
    for (const follower of this.#waiting) if (follower.userId === started.userId) void this.#match(follower);
  }

  interrupted(streamId: string): void {
    this.#streams.get(streamId)?.stream?.interrupted();
  }

  stopped(streamId: string, reason: string): void {
    const known = this.#streams.get(streamId);
    if (known === undefined) return;
    this.#streams.delete(streamId);
    known.stream?.close();
    this.#release(known, reason);
  }

  /** Gives a call the stream of its meeting, whenever there is one, until `signal` aborts. */
  follow(follower: StreamFollower, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#waiting.add(follower);
    signal.addEventListener('abort', () => this.#leave(follower), { once: true });
    void this.#match(follower);
  }

  close(): void {
    for (const { stream } of this.#streams.values()) stream?.close();
    this.#streams.clear();
    this.#waiting.clear();
  }

  async #match(follower: StreamFollower): Promise<void> {
    const isTheirs = ({ started }: Known) => started.userId === follower.userId;
    if (![...this.#streams.values()].some(isTheirs)) return;
    try {
      const meetingUuid = await follower.meetingUuid();
      const known = [...this.#streams.values()].find(
        (each) => isTheirs(each) && each.started.meetingUuid === meetingUuid,
      );
      // The call may be over, or have got it, in the meantime.
      if (known && this.#waiting.delete(follower)) this.#attach(known, follower);
    } catch (error) {
      if (!this.#waiting.has(follower)) return;
      this.#deps.log('warn', 'the meeting of a call, which may have a stream, cannot be told', {
        err: error,
      });
      this.#deps.clock.after(ASK_AGAIN_MS, () => {
        if (this.#waiting.has(follower)) void this.#match(follower);
      });
    }
  }

  #attach(known: Known, follower: StreamFollower): void {
    known.followers.add(follower);
    const { observer } = follower;
    if (known.stream === null) {
      const { started } = known;
      known.stream = new RtmsStream(started, started.url, this.#deps, this.#observerOf(known));
      return;
    }
    if (known.people.size > 0) observer.people(known.people);
    if (known.speaker !== null) observer.speaker(known.speaker);
    if (known.hasChat) observer.hasChat(true);
  }

  #observerOf(known: Known): StreamObserver {
    const tell = (what: (observer: StreamObserver) => void) => {
      for (const { observer } of known.followers) what(observer);
    };
    return {
      people: (people) => {
        known.people = people;
        tell((observer) => observer.people(people));
      },
      speaker: (id) => {
        known.speaker = id;
        tell((observer) => observer.speaker(id));
      },
      said: (line) => tell((observer) => observer.said(line)),
      chat: (message) => tell((observer) => observer.chat(message)),
      hasChat: (has) => {
        known.hasChat = has;
        tell((observer) => observer.hasChat(has));
      },
      lost: (reason) => {
        this.#deps.log('warn', 'a stream of Zoom is lost; its calls go on', { reason });
        this.#streams.delete(known.started.streamId);
        this.#release(known, reason);
      },
    };
  }

  /** The calls go on, and get another stream of their meeting: the next one, or one that has begun before this ended. */
  #release({ followers }: Known, reason: string): void {
    for (const follower of followers) {
      this.#waiting.add(follower);
      follower.observer.lost(reason);
      void this.#match(follower);
    }
    followers.clear();
  }

  #leave(follower: StreamFollower): void {
    this.#waiting.delete(follower);
    for (const known of this.#streams.values()) {
      if (!known.followers.delete(follower) || known.followers.size > 0) continue;
      known.stream?.close();
      // Zoom waits for a minute, in which another call may take it up.
      this.#streams.set(known.started.streamId, newlyKnown(known.started));
    }
  }

  /** A user who starts many streams takes no room from others. */
  #makeRoomFor(userId: string): void {
    const all = [...this.#streams.values()];
    const own = all.filter(({ started }) => started.userId === userId);
    const crowd = own.length >= MAX_STREAMS_OF_USER ? own : all.length >= MAX_STREAMS ? all : [];
    const oldest = crowd.find(({ stream }) => stream === null);
    if (oldest) this.#streams.delete(oldest.started.streamId);
  }
}

function newlyKnown(started: StartedStream): Known {
  return { started, followers: new Set(), stream: null, people: new Map(), speaker: null, hasChat: false };
}
