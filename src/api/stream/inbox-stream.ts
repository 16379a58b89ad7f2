import { onBehalfOf } from '../../base/on-behalf.ts';
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
import { eventWire } from '../rest/message-wire.ts';
import type { AgentStream } from './open-streams.ts';

/** WebSocket close codes (RFC 6455, section 7.4.1). */
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;
const TRY_AGAIN_LATER = 1013;
/** Number of events read at a time. */
const PAGE_SIZE = 100;
/** Reading pauses while the client has more unsent bytes than this. */
const MAX_BUFFERED_BYTES = 256 * 1024;
/** A client that stays behind this long is disconnected. It loses no events, because it can resume from its cursor. */
const SLOW_MS = 30_000;

/** Dependencies and parameters of a stream. */
export interface StreamedFeed {
  readonly reading: Reading;
  readonly wakeups: Wakeups;
  /** The agents whose feed it is, at opening. */
  readonly scope: AgentScope;
  /** The client's read position; null: only new events. */
  readonly cursor: Cursor | null;
  /** Registers the open stream. The returned function removes it. */
  readonly enlist: (stream: InboxStream) => () => void;
  /** Called with a failure that ended the stream. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * One WebSocket on the feed of some agents: first the events since the client's cursor, then new ones. Both are read
 * from the database in the same way, so none is lost or sent twice in between.
 */
export class InboxStream implements SocketHandler, AgentStream {
  readonly #feed: StreamedFeed;
  /** The current agents, and the next ones with the feed position from which they apply. */
  #scope: AgentScope;
  #next: { readonly scope: AgentScope; readonly start: Promise<FeedStart> } | null = null;
  #socket: Socket | null = null;
  #leaveList: () => void = () => {};
  #unwatch: () => void = () => {};
  #cancelSlow: CancelTimer | null = null;
  /** Where the feed started; null until known. */
  #start: FeedStart | null = null;
  /** Next feed position to read, and the cursor that the client has reached. */
  #position = 0;
  #reached: Reached | null = null;
  #lastEventId = '';
  #isReading = false;
  #isStale = false;

  constructor(feed: StreamedFeed) {
    this.#feed = feed;
    this.#scope = feed.scope;
  }

  get accountId(): string {
    return this.#scope.accountId;
  }

  /** AgentStream: includes new agents from now on. Closes the stream if one of its current agents is gone. */
  follow(agentIds: readonly string[]): void {
    const { scope } = this.#next ?? { scope: this.#scope };
    const hasLost = scope.agentIds.some((agentId) => !agentIds.includes(agentId));
    if (hasLost || agentIds.length === 0)
      return this.#close(POLICY_VIOLATION, 'the key now acts for other agents');
    const next = { ...scope, agentIds };
    // Determined immediately, so that everything stored from now on includes the new agents.
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

  /** Ignored: clients have nothing to send. */
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
    if (!this.#isReading) void onBehalfOf(this.accountId, () => this.#readOn());
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
    // Up to this position only the previous agents apply.
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

  /** Switches to other agents from a position on. */
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

  /** Returns false if the socket did not accept the frame. The client then has to resume from its cursor. */
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

  /**
   * Disconnects a slow client. The close frame is queued behind the unread data; its reason contains the cursor to
   * resume from.
   */
  #letGo(): void {
    const reached = this.#reached && cursorText(this.#reached.cursor);
    this.#close(TRY_AGAIN_LATER, `too slow; resume from ${reached}`);
  }

  #close(code: number, reason: string): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(code, reason);
  }
}
