import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Attack, Target } from '../attack.ts';
import { GrowthWatch } from '../gateway-watch.ts';
import type { Notes } from '../notes.ts';
import { openMany, RawConnection } from '../raw-connection.ts';

/** Limit on unread answers in total (64 MB), plus what the gateway needs to produce them. */
const MAX_GROWTH_MB = 112;
/** Ten seconds are the rule; its timers are as exact as they need to be. */
const CLOSED_MS = 16_000;
/** Answers that fit into a send buffer: beyond it uWebSockets.js hangs up on a client that pipelines. */
const AT_ONCE = 12;
const DESCRIPTION = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n';

/** Requests repeated on connections that never read an answer. */
export const pipelining: Attack = {
  number: 1,
  name: 'answers that are never read',
  async run(target, notes) {
    await deafClient(target, notes);
    await manyDeafClients(target, notes);
    await otherRoutes(target, notes);
    await requestsUnderWay(target, notes);
    await deafWebSockets(target, notes);
    await readingClient(target, notes);
  },
};

async function deafClient({ httpPort, pid }: Target, notes: Notes): Promise<void> {
  const requests = DESCRIPTION.repeat(Math.round(76_000 / DESCRIPTION.length));
  notes.act(`76 KB of ${JSON.stringify(DESCRIPTION.slice(0, 17))} on one connection that never reads`);
  const growth = new GrowthWatch(pid);
  const connection = await RawConnection.open(httpPort, { isDeaf: true });
  connection.send(requests);
  await pause(CLOSED_MS);
  const grownMb = growth.stop();
  notes.demand(grownMb < MAX_GROWTH_MB, 'memory for one deaf client, MB', grownMb);
  const isClosed = await connection.closesWithin(2_000);
  const megabytes = (connection.receivedBytes / 1e6).toFixed(1);
  notes.demand(isClosed, 'closed when it had read nothing for 10 s', `${isClosed}, after ${megabytes} MB`);
  connection.destroy();
}

async function manyDeafClients({ httpPort, pid }: Target, notes: Notes): Promise<void> {
  notes.act('3.9 MB of the same over 50 connections');
  const growth = new GrowthWatch(pid);
  const connections = await openMany(httpPort, 50, { isDeaf: true });
  for (const each of connections) each.send(DESCRIPTION.repeat(Math.round(78_000 / DESCRIPTION.length)));
  await pause(4_000);
  notes.demand(growth.growthMb < MAX_GROWTH_MB, 'memory for 50 deaf clients, MB', growth.growthMb);
  for (const each of connections) each.destroy();
  growth.stop();
}

async function otherRoutes({ httpPort, pid, agentKey }: Target, notes: Notes): Promise<void> {
  notes.act('200 KB each of five other routes, on ten connections each, never read');
  const key = `X-API-Key: ${agentKey}\r\n`;
  const body = '{"message":1}';
  const requests = [
    'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET /nothing/here HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET /auth/reset-password HTTP/1.1\r\nHost: a\r\n\r\n',
    `GET /api/account HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
    `POST /api/feedback HTTP/1.1\r\nHost: a\r\n${key}Content-Length: ${body.length}\r\n\r\n${body}`,
  ];
  const growth = new GrowthWatch(pid);
  for (const request of requests) {
    const connections = await openMany(httpPort, 10, { isDeaf: true });
    for (const each of connections) each.send(request.repeat(Math.round(200_000 / request.length)));
    await pause(1_000);
    for (const each of connections) each.destroy();
  }
  notes.demand(growth.growthMb < MAX_GROWTH_MB, 'memory for other routes, MB', growth.growthMb);
  growth.stop();
}

/** Requests that wait for something are as many as they are answers. */
async function requestsUnderWay({ httpPort, pid, agentKey }: Target, notes: Notes): Promise<void> {
  notes.act('20,000 long-polls on one connection');
  const query = 'last_message_cursor=2030-01-01&wait=55';
  const request = `GET /api/inbox?${query} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${agentKey}\r\n\r\n`;
  const growth = new GrowthWatch(pid);
  const connection = await RawConnection.open(httpPort);
  connection.send(request.repeat(20_000));
  await pause(3_000);
  notes.demand(growth.growthMb < MAX_GROWTH_MB, 'memory for requests under way, MB', growth.growthMb);
  growth.stop();
  connection.destroy();
}

async function deafWebSockets({ streamUrl, agentKey, baseUrl, pid }: Target, notes: Notes): Promise<void> {
  notes.act(
    '200,000 questions on a call WebSocket and 200,000 pings on an inbox, no answer of which is read',
  );
  const growth = new GrowthWatch(pid);
  const inbox = `${baseUrl.replace('http', 'ws')}/api/inbox/stream?api_key=${agentKey}`;
  const sockets = await Promise.all([`${streamUrl}?api_key=${agentKey}`, inbox].map(deaf));
  for (let n = 0; n < 200_000; n++) {
    sockets[0]!.send('{"type":"audio_config"}');
    sockets[1]!.ping('x'.repeat(100));
    if (n % 1_000 === 0) await pause(1);
  }
  await pause(2_000);
  notes.demand(growth.growthMb < MAX_GROWTH_MB, 'memory for deaf WebSockets, MB', growth.growthMb);
  growth.stop();
  for (const socket of sockets) socket.terminate();
}

function deaf(url: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    socket.once('open', () => {
      socket.pause();
      resolve(socket);
    });
    socket.once('error', reject);
    socket.on('error', () => {});
  });
}

/** A client that reads, however slowly, gets all of its answers. */
async function readingClient({ httpPort }: Target, notes: Notes): Promise<void> {
  const one = await RawConnection.open(httpPort);
  one.send(`${DESCRIPTION.slice(0, -2)}Connection: close\r\n\r\n`);
  await pause(500);
  const answerBytes = one.receivedBytes;
  one.destroy();
  notes.act('several requests in one piece, read at 2 MB a second');
  const reader = await RawConnection.open(httpPort, { isDeaf: true });
  reader.send(DESCRIPTION.repeat(AT_ONCE));
  reader.read();
  const throttle = setInterval(() => {
    reader.socket.pause();
    setTimeout(() => reader.socket.resume(), 15);
  }, 30);
  const untilMs = performance.now() + 10_000;
  // Its last answers may differ by a header or two.
  const wanted = answerBytes * AT_ONCE - 4_000;
  while (reader.receivedBytes < wanted && !reader.isClosed && performance.now() < untilMs) await pause(50);
  clearInterval(throttle);
  const share = `${reader.receivedBytes} of ${answerBytes * AT_ONCE} bytes`;
  notes.demand(reader.receivedBytes >= wanted, 'a slow reader gets all', share);
  reader.destroy();
}
