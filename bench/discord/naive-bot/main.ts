/**
 * What one writes first: a bot that lets agents speak and listen in voice channels, in one thread, with @discordjs/voice,
 * prism-media, opusscript and `ws`. The anchor of `bench/discord`; it does the same job (Opus at 48 kHz with both
 * encryptions on one side, 48 kHz PCM in a WebSocket on the other), without keys, a database or a REST API.
 *
 * `POST /call {"token":…,"guildId":…,"channelId":…}` answers `{"call":…}` once it is in the channel; `GET /call/<n>/stream`
 * is its WebSocket; `GET /ticks` reports the timer's lateness since the last request. Arguments: the port, and the base URL
 * of Discord's API.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { WebSocketServer } from 'ws';
import { NaiveChannel } from './naive-channel.ts';
import { NaiveDiscord } from './naive-discord.ts';
import { makeRoomForCodecs } from './opus-room.ts';

const FRAME_MS = 20;
const HOST = '127.0.0.1';

const [port, apiUrl = ''] = process.argv.slice(2);
const channels: NaiveChannel[] = [];
const bots = new Map<string, Promise<NaiveDiscord>>();
let latenessMs: number[] = [];

const server = createServer(async (request, response) => {
  if (request.method === 'POST' && request.url === '/call') {
    const { token, guildId, channelId } = JSON.parse(await bodyOf(request));
    if (!bots.has(token)) bots.set(token, NaiveDiscord.login(apiUrl, token));
    const channel = await NaiveChannel.enter(await bots.get(token)!, guildId, channelId);
    channels.push(channel);
    response.end(JSON.stringify({ call: channels.length - 1 }));
  } else if (request.url === '/ticks') {
    response.end(JSON.stringify(latenessMs));
    latenessMs = [];
  } else {
    response.writeHead(404).end();
  }
});

const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
server.on('upgrade', (request, socket, head) => {
  const channel = channels[Number(/^\/call\/(\d+)\//.exec(request.url ?? '')?.[1])];
  if (channel === undefined) socket.destroy();
  else sockets.handleUpgrade(request, socket, head, (agent) => channel.join(agent));
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

makeRoomForCodecs();

/** A timer with absolute deadlines that catches up; a plain interval would drift. */
const originMs = performance.now();
let ticks = 0;
function tick(): void {
  for (; originMs + (ticks + 1) * FRAME_MS <= performance.now(); ticks++) {
    latenessMs.push(performance.now() - originMs - (ticks + 1) * FRAME_MS);
    for (const channel of channels) channel.tick();
  }
  setTimeout(tick, originMs + (ticks + 1) * FRAME_MS - performance.now());
}
tick();

server.listen(Number(port), HOST);
process.on('SIGTERM', () => process.exit());
