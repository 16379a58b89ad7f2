import type { AgentScope } from '../../base/scope.ts';
import type { CancelTimer } from '../../base/time.ts';
import {
  type FeedEvent,
  type FeedStart,
  feedStart,
  isBefore,
  type Reached,
  reachedBy,
  readFeed,
} from '../../messaging/inbox/feed.ts';
import type { Reading } from '../../messaging/inbox/inbox-view.ts';
import type { Wakeups } from '../../messaging/inbox/wakeups.ts';
import { type Cursor, cursorText } from '../../store/messages/cursor.ts';
import type { Socket, SocketHandler } from '../http/socket/socket.ts';
import { eventWire } from '../rest/event-wire.ts';
import type { AgentStream } from './open-streams.ts';

/** RFC 6455 section 7.4.1. */
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;
const TRY_AGAIN_LATER = 1013;
/** Events read at once. */
const PAGE_SIZE = 100;
/** No more is read for a client that has so much to take. */
const MAX_BUFFERED_BYTES = 256 * 1024;
/** A client that takes nothing for so long is let go; nothing is lost to it. */
const SLOW_MS = 30_000;

/** What a stream works with. */
export interface StreamedFeed {
  readonly reading: Reading;
  readonly wakeups: Wakeups;
  /** Whose feed it is when it is opened. */
  readonly scope: AgentScope;
  /** How far the client has read; null: it wants what comes from now on. */
  readonly cursor: Cursor | null;
  /** Lists the stream while it is open; the answer takes it off the list. */
  readonly enlist: (stream: InboxStream) => () => void;
  /** Told of a failure that ended a stream. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * One WebSocket on the feed of some agents: first what happened since the client's cursor, then what happens. Both are
 * read from the database in the same way, so that between them nothing is lost or told twice.
 */
export class InboxStream implements SocketHandler, AgentStream {
  readonly #feed: StreamedFeed;
  /** Whose feed it is now; and whose it shall be, from where on in the feed. */
  #scope: AgentScope;
  #next: { readonly scope: AgentScope; readonly start: Promise<FeedStart> } | null = null;
  #socket: Socket | null = null;
  #leaveList: () => void = () => {};
  #unwatch: () => void = () => {};
  #cancelSlow: CancelTimer | null = null;
  /** Where the feed began; null until that is known. */
  #start: FeedStart | null = null;
  /** Where it goes on, and how far the client is. */
  #position = 0;
  #reached: Reached | null = null;
  #lastEventId = '';
  #isReading = false;
  #isStale = false;

  constructor(feed: StreamedFeed) {
    this.#feed = feed;
    this.#scope = feed.scope;
  }

  /** AgentStream: of agents that come it tells from now on. Without one of those that it tells of it ends. */
  follow(agentIds: readonly string[]): void {
    const { scope } = this.#next ?? { scope: this.#scope };
    const hasLost = scope.agentIds.some((agentId) => !agentIds.includes(agentId));
    if (hasLost || agentIds.length === 0)
      return this.#close(POLICY_VIOLATION, 'the key acts for other agents now');
    const next = { ...scope, agentIds };
    // Asked at once: whatever is stored after this is of the new ones, too.
    const start = this.#next?.start ?? feedStart(this.#feed.reading, next, null);
    start.catch(() => {});
    this.#next = { scope: next, start };
    this.#look();
  }

  opened(socket: Socket): void {
    const { enlist, wakeups } = this.#feed;
    this.#socket = socket;
    this.#leaveList = enlist(this);
    this.#unwatch = wakeups.watch(this.#scope.accountId, () => this.#look());
    this.#look();
  }

  /** Nothing is expected of the client. */
  text(): void {}

  binary(): void {}

  pong(): void {}

  drained(): void {
    if (this.#cancelSlow === null || this.#isFull()) return;
    this.#cancelSlow();
    this.#cancelSlow = null;
    this.#look();
  }

  closed(): void {
    this.#socket = null;
    this.#leaveList();
    this.#unwatch();
    this.#cancelSlow?.();
  }

  #look(): void {
    this.#isStale = true;
    if (!this.#isReading) void this.#readOn();
  }

  async #readOn(): Promise<void> {
    this.#isReading = true;
    try {
      this.#start ??= await this.#begin();
      while (this.#isStale && this.#socket !== null && this.#cancelSlow === null)
        await this.#readPage(this.#start);
    } catch (error) {
      this.#feed.onFailure(error);
      this.#close(INTERNAL_ERROR, 'Internal error');
    } finally {
      this.#isReading = false;
    }
  }

  async #readPage(start: FeedStart): Promise<void> {
    if (this.#isFull()) return this.#waitForRoom();
    this.#isStale = false;
    const next = this.#next;
    // Up to there the former agents have it to themselves.
    const untilPosition = next === null ? Number.POSITIVE_INFINITY : (await next.start).position;
    const page = await readFeed(this.#feed.reading, this.#scope, this.#position, PAGE_SIZE);
    for (const event of page.events)
      if (event.position <= untilPosition && !isBefore(start, event))
        this.#tell(event, this.#reached ?? start);
    this.#position = Math.min(page.position, untilPosition);
    if (page.isFull) this.#isStale = true;
    const isTold = !page.isFull || page.position >= untilPosition;
    if (next !== null && isTold) this.#goOnWith(next.scope, untilPosition);
  }

  /** Tells of other agents from a position on. */
  #goOnWith(scope: AgentScope, position: number): void {
    this.#scope = scope;
    this.#position = position;
    if (this.#next?.scope === scope) this.#next = null;
    this.#isStale = true;
  }

  async #begin(): Promise<FeedStart> {
    const { reading, cursor } = this.#feed;
    const start = await feedStart(reading, this.#scope, cursor);
    this.#position = start.from;
    this.#reached = start;
    this.#send({ type: 'ready', cursor: cursorText(start.cursor) });
    return start;
  }

  #tell(event: FeedEvent, before: Reached): void {
    // A page may end between two agents' copies of one event.
    if (event.eventId === this.#lastEventId) return;
    this.#lastEventId = event.eventId;
    const reached = reachedBy(before, event);
    if (this.#send(eventWire(event, cursorText(reached.cursor)))) this.#reached = reached;
  }

  /** False: the socket did not take it, and the client has to go on from where it was. */
  #send(frame: Record<string, unknown>): boolean {
    const isSent = this.#socket?.sendText(JSON.stringify(frame)) ?? false;
    if (!isSent) this.#letGo();
    return isSent;
  }

  #isFull(): boolean {
    return (this.#socket?.bufferedBytes() ?? 0) > MAX_BUFFERED_BYTES;
  }

  #waitForRoom(): void {
    this.#cancelSlow ??= this.#feed.reading.clock.after(SLOW_MS, () => this.#letGo());
  }

  /** The close frame waits behind what the client does not read; its reason tells where to go on. */
  #letGo(): void {
    const reached = this.#reached && cursorText(this.#reached.cursor);
    this.#close(TRY_AGAIN_LATER, `too slow; go on from ${reached}`);
  }

  #close(code: number, reason: string): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(code, reason);
  }
}
