import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Agent } from '../support/agent.ts';
import { type CallPair, GatewayPair } from '../support/gateway-pair.ts';
import { tone } from '../support/tone.ts';
import { isVoiced } from '../support/voiced.ts';
import { waitFor } from '../support/wait-for.ts';

const SAMPLE_RATE_HZ = 8_000;
const FAULTS = fileURLToPath(new URL('../support/thread-faults.mjs', import.meta.url));

const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

/** All that the call WebSocket does is tested in the nightly suite once more, on a thread. */
describe('call WebSockets on a thread', () => {
  let pair: GatewayPair;
  let call: CallPair;
  let near: Agent;

  const joinFar = () =>
    Agent.join(call.inbound.audio.stream_url, pair.callee.agentKey, { sampleRateHz: SAMPLE_RATE_HZ });
  const voice = (seconds: number) => tone(440, SAMPLE_RATE_HZ, SAMPLE_RATE_HZ * seconds);
  const heardVoice = (agent: Agent, frames = 25) =>
    waitFor('a voice', () => agent.heard.filter(isVoiced).length > frames);
  const sockets = () => pair.callee.metric('svc_stream_thread_sockets');

  beforeAll(async () => {
    pair = await GatewayPair.start({
      callee: { env: { SVC_STREAM_THREADS: '1', NODE_OPTIONS: `--import=${FAULTS}` } },
    });
  });
  afterAll(() => pair?.stop());
  beforeEach(async () => {
    call = await pair.connect();
    near = await Agent.join(call.outbound.audio.stream_url, pair.caller.agentKey, {
      sampleRateHz: SAMPLE_RATE_HZ,
    });
  });
  afterEach(() => pair.hangUp(call));

  it('carry audio both ways, and what is said of it in order with it', async () => {
    const far = await joinFar();
    await waitFor('the thread to count it', async () => (await sockets()) === 1);
    near.speak(voice(1));
    far.speak(voice(1));
    far.mark('half-time');
    far.speak(voice(10));
    await Promise.all([heardVoice(near), heardVoice(far)]);
    await far.waitFor('mark', { name: 'half-time' });
    far.send({ type: 'clear' });
    const { played_ms, dropped_ms } = await far.waitFor('cleared');
    expect(played_ms).toBeGreaterThanOrEqual(1_000);
    expect(dropped_ms).toBeGreaterThan(5_000);
    far.send({ type: 'pause' });
    await far.waitFor('paused');
    // Only the main thread can answer it.
    far.send({ type: 'say', text: 'hello' });
    await far.waitFor('call_error', { code: 'tts_not_configured' });
    far.send({ type: 'nonsense' });
    await far.waitFor('call_error', { code: 'unknown_type' });
    expect(await pair.callee.metric('svc_stream_errors_total')).toBeGreaterThanOrEqual(2);
    await pair.hangUp(call);
    expect(await far.closed).toBe(1000);
    await waitFor('the thread to forget it', async () => (await sockets()) === 0);
  });

  it('are taken by the main thread when the connection has been used before', async () => {
    const { host } = new URL(call.inbound.audio.stream_url);
    const path = `/api/call/${call.inbound.call_id}/stream?api_key=${pair.callee.agentKey}`;
    const answers = await overOneConnection(host, [
      'GET /healthz HTTP/1.1\r\nHost: gateway\r\n\r\n',
      `GET ${path} HTTP/1.1\r\nHost: gateway\r\n${UPGRADE}\r\n`,
    ]);
    expect(answers).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 101 Switching Protocols']);
    expect(await sockets()).toBe(0);
  });

  it('are refused as on the main thread', async () => {
    const url = new URL(call.inbound.audio.stream_url);
    url.searchParams.set('api_key', 'wrong');
    expect(await refusalOf(url)).toBe(401);
    url.searchParams.set('api_key', pair.callee.agentKey);
    url.pathname = '/api/call/call_unknown/stream';
    expect(await refusalOf(url)).toBe(404);
  });

  it.each([
    ['ends', 'SIGIO'],
    ['hangs', 'SIGPWR'],
  ] as const)('are lost when it %s; the call lives on, and agents join it again', async (_what, fault) => {
    const far = await joinFar();
    near.speak(voice(30));
    await heardVoice(far);
    const lost = (await pair.callee.metric('svc_stream_threads_lost_total')) ?? 0;
    process.kill(pair.callee.pid, fault);
    expect(await far.closed).toBe(1006);
    await waitFor('the loss to be counted', async () => {
      return (await pair.callee.metric('svc_stream_threads_lost_total')) === lost + 1;
    });
    const again = await joinFar();
    again.speak(voice(1));
    await Promise.all([heardVoice(again), heardVoice(near)]);
    expect(again.events[0]).toMatchObject({ type: 'call_state', state: 'active' });
  });
});

/** The HTTP status that answers a handshake. */
function refusalOf(url: URL): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.once('open', () => reject(new Error('it was accepted')));
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('error', reject);
  });
}

/** The status lines that answer requests which are sent one after the other. */
async function overOneConnection(host: string, requests: readonly string[]): Promise<string[]> {
  const { hostname, port } = new URL(`http://${host}`);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => (received += text));
  const statuses = () => received.match(/HTTP\/1\.1 \d+ [^\r]+/g) ?? [];
  for (const [index, request] of requests.entries()) {
    socket.write(request);
    await waitFor(`answer ${index + 1}`, () => statuses().length > index);
  }
  socket.destroy();
  return statuses();
}
