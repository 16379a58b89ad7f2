/**
 * What one writes first: a voice gateway in one thread, with dgram, `ws` and a timer. The anchor of `bench/calls`; it does
 * the same job (PCMU in RTP on one side, 16 kHz PCM in a WebSocket on the other), without SIP, keys or a database.
 *
 * `POST /call {"port":<the phone's>}` answers `{"call":…,"port":<ours>}`; `GET /call/<n>/stream` is its WebSocket;
 * `GET /ticks` reports the timer's lateness since the last request. Arguments: the port, and the base URL of a speech
 * vendor. With the latter, calls speak and listen by it instead of an agent, the anchor of `bench/speech`, and
 * `POST /call/<n>/say {"text":…}` speaks.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { WebSocketServer } from 'ws';
import { NaiveCall } from './naive-call.ts';
import { NaiveSpeech } from './naive-speech.ts';

const FRAME_MS = 20;
const HOST = '127.0.0.1';

const [port, vendorUrl] = process.argv.slice(2);
const calls: NaiveCall[] = [];
const speeches: NaiveSpeech[] = [];
let latenessMs: number[] = [];

const server = createServer(async (request, response) => {
  if (request.method === 'POST' && request.url === '/call') {
    const { port: remotePort } = JSON.parse(await bodyOf(request));
    const call = new NaiveCall(HOST, remotePort);
    calls.push(call);
    if (vendorUrl !== undefined) {
      const speech = new NaiveSpeech(vendorUrl);
      speeches.push(speech);
      call.host(speech);
    }
    response.end(JSON.stringify({ call: calls.length - 1, port: await call.listen() }));
  } else if (request.url?.endsWith('/say')) {
    const { text } = JSON.parse(await bodyOf(request));
    speeches[callIn(request.url)]?.say(text);
    response.end('{}');
  } else if (request.url === '/ticks') {
    response.end(JSON.stringify(latenessMs));
    latenessMs = [];
  } else {
    response.writeHead(404).end();
  }
});

const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
server.on('upgrade', (request, socket, head) => {
  const call = calls[callIn(request.url ?? '')];
  if (call === undefined) socket.destroy();
  else sockets.handleUpgrade(request, socket, head, (agent) => call.join(agent));
});

function callIn(url: string): number {
  return Number(/^\/call\/(\d+)\//.exec(url)?.[1]);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** A timer with absolute deadlines that catches up; a plain interval would drift. */
const originMs = performance.now();
let ticks = 0;
function tick(): void {
  for (; originMs + (ticks + 1) * FRAME_MS <= performance.now(); ticks++) {
    latenessMs.push(performance.now() - originMs - (ticks + 1) * FRAME_MS);
    for (const call of calls) call.tick();
  }
  setTimeout(tick, originMs + (ticks + 1) * FRAME_MS - performance.now());
}
tick();

server.listen(Number(port), HOST);
process.on('SIGTERM', () => process.exit());
