import { hash } from 'node:crypto';
import { unreachable } from '../../../base/assert.ts';
import { LimitedMap } from '../../../base/limited-map.ts';
import type { Reader, ReadingTime } from '../../../base/reading-time.ts';
import type { Clock } from '../../../base/time.ts';
import type { Registration } from '../../kit/oauth-platform.ts';
import { type HandshakeAnswer, RtmsConnection } from './rtms-connection.ts';
import {
  EVENTS,
  MEDIA_KINDS,
  type MediaKind,
  mediaHello,
  type RtmsChat,
  type RtmsEvent,
  type RtmsNews,
  type RtmsPerson,
  type RtmsTranscript,
  ready,
  type StreamId,
  signalingHello,
  subscription,
  TERMINATED,
} from './rtms-protocol.ts';

/** Lines and messages that are remembered, because Zoom may repeat them after an interruption. */
const MAX_SEEN = 4_096;
const MAX_PEOPLE = 1_000;
/** In place of the id of an active speaker. */
const NOBODY = '0';
const KINDS = Object.keys(MEDIA_KINDS) as MediaKind[];

export interface StreamObserver {
  /** Who takes part: names by id. */
  people(names: ReadonlyMap<string, string>): void;
  /** Who speaks now; null: nobody. */
  speaker(id: string | null): void;
  said(line: RtmsTranscript): void;
  chat(message: RtmsChat): void;
  /** Whether it carries the meeting's chat; not, until this says so. */
  hasChat(has: boolean): void;
  /** It is over. Nothing follows. */
  lost(reason: string): void;
}

export interface StreamDeps {
  readonly app: Registration;
  readonly clock: Clock;
  readonly readingTime: ReadingTime;
}

/** One stream of Realtime Media Streams: the signaling server, and a media server for each kind of media. */
export class RtmsStream {
  readonly #id: StreamId;
  readonly #deps: StreamDeps;
  readonly #observer: StreamObserver;
  /** A meeting takes its own time. */
  readonly #reader: Reader;
  readonly #signaling: RtmsConnection;
  readonly #media = new Map<MediaKind, RtmsConnection>();
  readonly #people = new Map<string, string>();
  readonly #seen = new LimitedMap<true>(MAX_SEEN);

  /** `url`: of the signaling server. */
  constructor(id: StreamId, url: string, deps: StreamDeps, observer: StreamObserver) {
    this.#id = id;
    this.#deps = deps;
    this.#observer = observer;
    this.#reader = deps.readingTime.of(`zoom ${id.streamId}`);
    this.#signaling = new RtmsConnection(url, {
      hello: signalingHello(id, deps.app),
      clock: deps.clock,
      reader: this.#reader,
      up: (answer) => this.#up(answer),
      // Zoom ends the media with it.
      down: () => {
        for (const connection of this.#media.values()) connection.retire();
      },
      take: (message) => this.#take(message),
      lost: (reason) => this.#lose(reason),
    });
  }

  /** Zoom has lost the connection to the signaling server. */
  interrupted(): void {
    this.#signaling.interrupted();
  }

  /** Another server carries the stream from now on. */
  moved(url: string): void {
    this.#signaling.moved(url);
  }

  /** Nothing is reported any more. */
  close(): void {
    this.#signaling.close();
    this.#closeMedia();
  }

  #up(answer: HandshakeAnswer): void {
    this.#closeMedia();
    this.#signaling.send(subscription());
    // The app's scopes decide which there are.
    const urls = (answer.msg_type === 2 && answer.media_server?.server_urls) || {};
    for (const kind of KINDS) {
      const url = urls[kind] ?? urls.all;
      if (url !== undefined) this.#media.set(kind, this.#mediaConnection(kind, url));
    }
  }

  #mediaConnection(kind: MediaKind, url: string): RtmsConnection {
    return new RtmsConnection(url, {
      hello: mediaHello(this.#id, this.#deps.app, kind),
      clock: this.#deps.clock,
      reader: this.#reader,
      up: () => {
        this.#signaling.send(ready(this.#id));
        if (kind === 'chat') this.#observer.hasChat(true);
      },
      down: () => {},
      take: (message) => this.#take(message),
      // The meeting goes on without it.
      lost: () => {
        this.#media.delete(kind);
        if (kind === 'chat') this.#observer.hasChat(false);
      },
    });
  }

  #closeMedia(): void {
    for (const connection of this.#media.values()) connection.close();
    this.#media.clear();
  }

  #lose(reason: string): void {
    this.close();
    this.#observer.lost(reason);
  }

  #take(message: RtmsNews): void {
    switch (message.msg_type) {
      case 6:
        return this.#happened(message.event);
      case 8:
        return message.state === TERMINATED ? this.#lose('Zoom has ended the stream') : undefined;
      case 17:
        return this.#said(message.content);
      case 18:
        return this.#wrote(message.content);
      default:
        return unreachable(message);
    }
  }

  #happened({ event_type, participants = [], user_id, user_name, media_type }: RtmsEvent): void {
    switch (event_type) {
      case EVENTS.joined:
        return this.#know(participants);
      case EVENTS.left:
        return this.#leave(participants);
      case EVENTS.activeSpeaker: {
        const speaker = user_id === undefined || user_id === NOBODY ? null : user_id;
        if (speaker !== null) this.#know([{ user_id: speaker, user_name }]);
        return this.#observer.speaker(speaker);
      }
      case EVENTS.mediaInterrupted:
        for (const [kind, connection] of this.#media)
          if (media_type === undefined || media_type === MEDIA_KINDS[kind]) connection.interrupted();
        return;
      default:
        return;
    }
  }

  #said(line: RtmsTranscript): void {
    const { user_id, start_time, timestamp, data } = line;
    if (!this.#isNew('line', user_id, start_time ?? timestamp, data)) return;
    this.#know([line]);
    this.#observer.said({ ...line, user_name: line.user_name || this.#people.get(user_id) });
  }

  #wrote(message: RtmsChat): void {
    const { message_id, timestamp, data } = message;
    const isNew = message_id ? this.#isNew('message', message_id) : this.#isNew('chat', timestamp, data);
    if (isNew) this.#observer.chat(message);
  }

  /** Somebody whose name is not told keeps the one that is known. */
  #know(people: readonly RtmsPerson[]): void {
    let isChanged = false;
    for (const { user_id, user_name } of people) {
      const known = this.#people.get(user_id);
      const name = user_name || known || '';
      if (known === name || (known === undefined && this.#people.size >= MAX_PEOPLE)) continue;
      this.#people.set(user_id, name);
      isChanged = true;
    }
    if (isChanged) this.#observer.people(this.#people);
  }

  #leave(people: readonly RtmsPerson[]): void {
    let isChanged = false;
    for (const { user_id } of people) isChanged = this.#people.delete(user_id) || isChanged;
    if (isChanged) this.#observer.people(this.#people);
  }

  #isNew(...parts: readonly (string | number | undefined)[]): boolean {
    const key = hash('sha256', JSON.stringify(parts), 'base64');
    if (this.#seen.get(key)) return false;
    this.#seen.set(key, true);
    return true;
  }
}
