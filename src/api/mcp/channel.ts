import { scopeOf } from '../../base/scope.ts';
import { type FeedEvent, feedStart, readFeed } from '../../messaging/feed.ts';
import type { Reading } from '../../messaging/inbox-view.ts';
import type { Principal } from '../auth/principal.ts';
import { ChannelWatch, type WatchParts } from './channel-watch.ts';
import { channelPush } from './channel-wire.ts';
import { eventFrame, KEEP_ALIVE_FRAME } from './rpc-message.ts';
import type { Subscriptions } from './served.ts';

/** Events read at once. */
const PAGE_SIZE = 100;
/** How soon a client comes back whose stream was cut. */
const RETRY_MS = 1_000;
/** From this version on clients know events without data, which give them an id to go on from. */
const FIRST_WITH_EMPTY_EVENTS = '2025-11-25';
/** The id of a push says where the account's feed goes on after it. */
const EVENT_ID = /^feed-(\d{1,15})$/;

/** What channels are fed from. */
export interface ChannelParts extends WatchParts {
  readonly reading: Reading;
}

/** A client that opens its session's stream. */
export interface Listener {
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  readonly protocolVersion: string;
  /** Of the last event that it has got; '' the first time. */
  readonly lastEventId: string;
}

/**
 * What a session is told unasked: the events of its feed, and which resources have changed. The feed is durable, and each
 * event's id is its place in it, so nothing is kept here: a client that was cut off is read to from where it was, and for
 * one that reads slowly we read slowly.
 */
export class Channel implements Subscriptions {
  readonly #parts: ChannelParts;
  readonly #principal: () => Principal;
  readonly #subscribed = new Set<string>();
  /** Where the feed goes on. */
  #position = 0;
  #lastTold = '';
  #watch: ChannelWatch | null = null;

  constructor(parts: ChannelParts, principal: () => Principal) {
    this.#parts = parts;
    this.#principal = principal;
  }

  /** To be called first: what happens from now on is told, whenever somebody comes to listen. */
  async begin(): Promise<void> {
    const start = await feedStart(this.#parts.reading, scopeOf(this.#principal()), null);
    this.#position = start.position;
  }

  add(uri: string): void {
    this.#subscribed.add(uri);
  }

  delete(uri: string): void {
    this.#subscribed.delete(uri);
  }

  /** Ends the stream that is open. */
  close(): void {
    this.#watch?.end();
  }

  /** The frames of the session's stream. One that is open already ends: its client has come back. */
  async *frames({ signal, protocolVersion, lastEventId }: Listener): AsyncGenerator<string> {
    this.close();
    const watch = new ChannelWatch(this.#parts, this.#principal(), signal);
    this.#watch = watch;
    try {
      this.#resume(watch, lastEventId);
      yield this.#opening(protocolVersion);
      while (!watch.isOver) {
        yield* this.#changes(watch);
        const mayHaveMore = yield* this.#page(watch);
        if (!mayHaveMore && (await watch.hasBeenSilent())) yield KEEP_ALIVE_FRAME;
      }
    } finally {
      watch.end();
      if (this.#watch === watch) this.#watch = null;
    }
  }

  /** What changed while nobody listened is not known: all that was asked for may have. */
  #resume(watch: ChannelWatch, lastEventId: string): void {
    const position = EVENT_ID.exec(lastEventId)?.[1];
    if (position === undefined) return;
    this.#position = Number(position);
    this.#lastTold = '';
    for (const uri of this.#subscribed) watch.changed.add(uri);
  }

  /** Headers go out with the first bytes only. */
  #opening(protocolVersion: string): string {
    if (protocolVersion < FIRST_WITH_EMPTY_EVENTS) return ': open\n\n';
    return `id: feed-${this.#position}\nretry: ${RETRY_MS}\ndata: \n\n`;
  }

  *#changes(watch: ChannelWatch): Generator<string> {
    const uris = [...watch.changed].filter((uri) => this.#subscribed.has(uri));
    const { listHasChanged } = watch;
    watch.changed.clear();
    watch.listHasChanged = false;
    if (listHasChanged) yield eventFrame(notification('notifications/resources/list_changed'));
    for (const uri of uris) yield eventFrame(notification('notifications/resources/updated', { uri }));
  }

  /** Whether there may be more at once. */
  async *#page(watch: ChannelWatch): AsyncGenerator<string, boolean> {
    const page = await readFeed(this.#parts.reading, scopeOf(this.#principal()), this.#position, PAGE_SIZE);
    for (const event of page.events) {
      if (watch.isOver) return false;
      yield* this.#push(event);
      // Otherwise another stream has taken over, and goes on from where it knows.
      if (!watch.isOver) this.#position = event.position;
    }
    if (!watch.isOver) this.#position = page.position;
    return page.isFull;
  }

  /** A page may end between two agents' copies of one event. */
  *#push(event: FeedEvent): Generator<string> {
    if (event.eventId === this.#lastTold) return;
    this.#lastTold = event.eventId;
    const data = notification('notifications/claude/channel', { ...channelPush(event) });
    yield eventFrame(data, `feed-${event.position}`);
  }
}

function notification(method: string, params?: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}
