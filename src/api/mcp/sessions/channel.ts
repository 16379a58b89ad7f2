import type { Deadlines } from '../../../base/deadlines.ts';
import { scopeOf } from '../../../base/scope.ts';
import type { CancelTimer } from '../../../base/time.ts';
import { type FeedEvent, feedStart, readFeed } from '../../../messaging/inbox/feed.ts';
import type { Reading } from '../../../messaging/inbox/inbox-view.ts';
import type { Wakeups } from '../../../messaging/inbox/wakeups.ts';
import { cursorText } from '../../../store/messages/cursor.ts';
import type { Principal } from '../../auth/principal.ts';
import { messageWire } from '../../rest/message-wire.ts';
import type { Subscriptions, Transcripts } from '../mcp-contents.ts';
import { eventFrame, KEEP_ALIVE_FRAME, KEEP_ALIVE_MS } from '../rpc-message.ts';
import { WakeSignal } from '../wake-signal.ts';

/** Number of events read at a time. */
const PAGE_SIZE = 100;
/** How soon a client reconnects after its stream was cut. */
const RETRY_MS = 1_000;
/** Clients of this version and newer accept an event without data, which gives them an id to resume from. */
const FIRST_WITH_EMPTY_EVENTS = '2025-11-25';
/** The id of a push is the feed position after it. */
const EVENT_ID = /^feed-(\d{1,15})$/;

/** Dependencies of a channel. */
export interface ChannelDeps {
  readonly reading: Reading;
  readonly wakeups: Wakeups;
  readonly transcripts: Transcripts;
  readonly deadlines: Deadlines;
}

/** A client that opens its session's stream. */
export interface Listener {
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  readonly protocolVersion: string;
  /** Id of the last event that the client received; '' the first time. */
  readonly lastEventId: string;
}

/**
 * Pushes to a session: the events of its feed, and changed resources. The feed is durable and an event's id is its position,
 * so the channel buffers nothing: a reconnecting client resumes at its position, and a slow client slows the reading.
 */
export class Channel implements Subscriptions {
  readonly #deps: ChannelDeps;
  readonly #principal: () => Principal;
  readonly #subscribed = new Set<string>();
  /** The next position of the feed to read. */
  #position = 0;
  #lastEventId = '';
  #watch: ChannelWatch | null = null;

  constructor(deps: ChannelDeps, principal: () => Principal) {
    this.#deps = deps;
    this.#principal = principal;
  }

  /** Must be called first: the client gets every event from now on, whenever it opens its stream. */
  async begin(): Promise<void> {
    const start = await feedStart(this.#deps.reading, scopeOf(this.#principal()), null);
    this.#position = start.position;
  }

  add(uri: string): void {
    this.#subscribed.add(uri);
  }

  delete(uri: string): void {
    this.#subscribed.delete(uri);
  }

  /** Ends the open stream. */
  close(): void {
    this.#watch?.end();
  }

  /** The frames of the session's stream. Replaces a stream that is still open. */
  async *frames({ signal, protocolVersion, lastEventId }: Listener): AsyncGenerator<string> {
    this.close();
    const watch = new ChannelWatch(this.#deps, this.#principal(), signal);
    this.#watch = watch;
    try {
      this.#resume(watch, lastEventId);
      yield this.#opening(protocolVersion);
      while (!watch.isOver) {
        yield* this.#changes(watch);
        const mayHaveMore = yield* this.#page(watch);
        if (!mayHaveMore && (await watch.isKeepAliveDue())) yield KEEP_ALIVE_FRAME;
      }
    } finally {
      watch.end();
      if (this.#watch === watch) this.#watch = null;
    }
  }

  /**
   * Resumes after a reconnect. Changes while no stream was open are unknown, so every subscribed resource is reported.
   */
  #resume(watch: ChannelWatch, lastEventId: string): void {
    const position = EVENT_ID.exec(lastEventId)?.[1];
    if (position === undefined) return;
    this.#position = Number(position);
    this.#lastEventId = '';
    for (const uri of this.#subscribed) watch.changed.add(uri);
  }

  /** The first bytes of a stream. The server sends the headers only with them. */
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

  /** Returns whether there may be more to read. */
  async *#page(watch: ChannelWatch): AsyncGenerator<string, boolean> {
    const page = await readFeed(this.#deps.reading, scopeOf(this.#principal()), this.#position, PAGE_SIZE);
    for (const event of page.events) {
      if (watch.isOver) return false;
      yield* this.#push(event);
      // Otherwise another stream has taken over with its own position.
      if (!watch.isOver) this.#position = event.position;
    }
    if (!watch.isOver) this.#position = page.position;
    return page.isFull;
  }

  /** Two agents' copies of one event may be on different pages. */
  *#push(event: FeedEvent): Generator<string> {
    if (event.eventId === this.#lastEventId) return;
    this.#lastEventId = event.eventId;
    const data = notification('notifications/claude/channel', { ...channelPush(event) });
    yield eventFrame(data, `feed-${event.position}`);
  }
}

function notification(method: string, params?: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

/** The parameters of a `notifications/claude/channel`: a text, and values whose names have only letters and underscores. */
interface ChannelPush {
  readonly content: string;
  readonly meta: Readonly<Record<string, string>>;
}

/** An event of the feed as a push. Values that are not strings are sent as JSON. */
function channelPush(event: FeedEvent): ChannelPush {
  const { type, eventId: event_id, createdAt: created_at } = event;
  const common = { type, event_id, created_at };
  if (event.kind === 'other')
    return { content: wordsOf(event.payload), meta: texts({ ...common, ...event.payload }) };
  const { conversation, at } = event;
  const { id: message_id, text, sender, attachments, reply_to, choice } = messageWire(event.message);
  const meta = {
    ...common,
    conversation_id: conversation.id,
    platform: conversation.platform,
    kind: conversation.kind,
    thread: conversation.thread,
    remote_id: conversation.peer.remoteId,
    remote_name: conversation.peer.remoteName,
    sender_id: sender?.id,
    sender_name: sender?.name,
    message_id,
    cursor: cursorText(at),
    ...(attachments.length > 0 && { attachments }),
    reply_to,
    choice,
  };
  return { content: text, meta: texts(meta) };
}

/** An event's text, or its whole payload as JSON. */
function wordsOf(payload: Readonly<Record<string, unknown>>): string {
  const words = payload.text ?? payload.message;
  return typeof words === 'string' ? words : JSON.stringify(payload);
}

function texts(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  const said = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    said.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

/** Notifies one stream when there is something to send, until it ends or its client disconnects. */
class ChannelWatch {
  /** Resources that changed since the stream last sent them. */
  readonly changed = new Set<string>();
  /** Whether the list of resources changed. */
  listHasChanged = false;
  readonly #wake = new WakeSignal();
  readonly #deadlines: Deadlines;
  readonly #signal: AbortSignal;
  readonly #end = (): void => this.end();
  readonly #unwatch: readonly (() => void)[];
  #cancelKeepAlive: CancelTimer = () => {};
  #isSilent = false;
  #isOver = false;

  constructor({ wakeups, transcripts, deadlines }: ChannelDeps, principal: Principal, signal: AbortSignal) {
    this.#deadlines = deadlines;
    this.#signal = signal;
    this.#unwatch = [
      wakeups.watch(principal.accountId, () => this.#wake.raise()),
      transcripts.watch(principal, (uri) => {
        this.changed.add(uri);
        this.#wake.raise();
      }),
      transcripts.watchList(principal, () => {
        this.listHasChanged = true;
        this.#wake.raise();
      }),
    ];
    signal.addEventListener('abort', this.#end, { once: true });
    if (signal.aborted) this.end();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const unwatch of this.#unwatch) unwatch();
    this.#cancelKeepAlive();
    this.#signal.removeEventListener('abort', this.#end);
    this.#wake.raise();
  }

  /**
   * Resolves when there may be something to send. True: a keep-alive is due, because nothing has happened for a while.
   */
  async isKeepAliveDue(): Promise<boolean> {
    this.#isSilent = false;
    this.#cancelKeepAlive = this.#deadlines.after(KEEP_ALIVE_MS, () => {
      this.#isSilent = true;
      this.#wake.raise();
    });
    await this.#wake.raised();
    this.#cancelKeepAlive();
    return this.#isSilent && !this.#isOver;
  }
}
