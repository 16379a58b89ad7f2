/**
 * Asks `GET /api/calls` a hundred times a second: `prober-program.ts <port> <key>`. Told anything, it answers with how
 * long each answer took. A request that waits for the one before counts from when it was due, so that a gateway that
 * stands still for a second is not counted once but a hundred times.
 */
import { connect, type Socket } from 'node:net';

const INTERVAL_MS = 10;
const GIVE_UP_MS = 15_000;
const RECONNECT_MS = 100;
/** Slower answers are reported one by one. */
const SLOW_MS = 20;
const HEAD_END = Buffer.from('\r\n\r\n');

const [port, key] = process.argv.slice(2);
const REQUEST = `GET /api/calls HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${key}\r\n\r\n`;

let latenciesMs: number[] = [];
let slow: { atMs: number; latencyMs: number }[] = [];
let failures = 0;
let socket: Socket | null = null;
let received = Buffer.alloc(0);
/** Due times of the unanswered requests. The first one has been sent. */
let due: number[] = [];
let sentAtMs: number | null = null;

function open(): void {
  const opened = connect({ port: Number(port), host: '127.0.0.1' });
  opened.setNoDelay(true);
  opened.on('connect', () => {
    socket = opened;
    sendNext();
  });
  opened.on('data', receive);
  opened.on('error', () => {});
  opened.on('close', () => {
    failures += due.length;
    due = [];
    sentAtMs = null;
    socket = null;
    received = Buffer.alloc(0);
    setTimeout(open, RECONNECT_MS);
  });
}

function sendNext(): void {
  if (socket === null || sentAtMs !== null || due.length === 0) return;
  sentAtMs = performance.now();
  socket.write(REQUEST);
}

function receive(bytes: Buffer): void {
  received = Buffer.concat([received, bytes]);
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return;
  const head = received.toString('latin1', 0, headEnd);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (received.length < headEnd + HEAD_END.length + length) return;
  received = Buffer.alloc(0);
  const latencyMs = performance.now() - (due.shift() ?? Number.NaN);
  latenciesMs.push(latencyMs);
  if (latencyMs > SLOW_MS) slow.push({ atMs: Date.now(), latencyMs });
  if (!head.startsWith('HTTP/1.1 200')) failures++;
  sentAtMs = null;
  sendNext();
}

let nextMs = performance.now();
setInterval(() => {
  const now = performance.now();
  // Do not blame the gateway for this process's own lateness: if it was idle, requests count from now.
  const isIdle = due.length === 0;
  for (; nextMs <= now; nextMs += INTERVAL_MS) due.push(isIdle ? now : nextMs);
  if (sentAtMs !== null && now - sentAtMs > GIVE_UP_MS) socket?.destroy();
  sendNext();
}, INTERVAL_MS / 2);
process.on('message', () => {
  process.send?.({ latenciesMs, slow, failures });
  latenciesMs = [];
  slow = [];
  failures = 0;
});
process.on('disconnect', () => process.exit());
open();
process.send?.('ready');
