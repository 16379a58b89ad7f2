import { signal } from '@preact/signals';
import type * as z from 'zod';
import type { Inbox } from '../../api/schema/inbox.ts';
import { ask, signedOut, socketUrl } from './request.ts';

type InboxEvent = NonNullable<z.output<typeof Inbox>['events']>[number];

/** An event of the account; `resync` when events may have been missed before, so that everything shown is read again. */
export type FeedEvent = { readonly type: string } & Partial<Omit<InboxEvent, 'type'>>;

const RESYNC: FeedEvent = { type: 'resync' };
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** Whether events arrive. */
export const feedState = signal<'connecting' | 'live' | 'lost'>('connecting');

/** By how much the clock of the gateway is ahead of this one, as events tell, in ms. Less than this is only their way. */
export const aheadMs = signal(0);
const LONGEST_WAY_MS = 5_000;

const listeners = new Set<(event: FeedEvent) => void>();
let socket: WebSocket | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
let waitMs = FIRST_WAIT_MS;
let wasLive = false;

/** Calls back for each event from now on. Returns what ends that. */
export function onEvent(listener: (event: FeedEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Opens the inbox WebSocket, and opens it again whenever it closes. One serves the whole page. */
export function openFeed(): void {
  if (socket !== null) return;
  socket = new WebSocket(socketUrl('/api/inbox/stream'));
  socket.onmessage = ({ data }) => receive(JSON.parse(data) as FeedEvent);
  socket.onclose = () => {
    socket = null;
    feedState.value = wasLive ? 'lost' : 'connecting';
    reopenSoon();
  };
}

export function closeFeed(): void {
  clearTimeout(timer);
  wasLive = false;
  if (socket === null) return;
  socket.onclose = null;
  socket.close();
  socket = null;
}

/** A browser does not say why a WebSocket was refused, so the account tells whether the session has ended. */
function reopen(): void {
  ask('GET /api/account').then(openFeed, ({ status }: { readonly status: number }) => {
    if (status === 401) signedOut.value += 1;
    else reopenSoon();
  });
}

function reopenSoon(): void {
  timer = setTimeout(reopen, waitMs);
  waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
}

function receive(event: FeedEvent): void {
  if (event.type !== 'ready') return publish(event);
  wasLive = true;
  waitMs = FIRST_WAIT_MS;
  feedState.value = 'live';
  publish(RESYNC);
}

/** After a sleep a connection may be dead and nobody knows. */
const SLEEP_MS = 60_000;
let hiddenAtMs = 0;
addEventListener('online', () => socket?.close());
document.addEventListener('visibilitychange', () => {
  if (document.hidden) hiddenAtMs = Date.now();
  else if (Date.now() - hiddenAtMs > SLEEP_MS) socket?.close();
});

function publish(event: FeedEvent): void {
  if (typeof event.created_at === 'string') {
    const ahead = Date.parse(event.created_at) - Date.now();
    aheadMs.value = Math.abs(ahead) < LONGEST_WAY_MS ? 0 : ahead;
  }
  for (const listener of [...listeners]) listener(event);
}
