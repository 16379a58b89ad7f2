import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { LoadProcess } from '../../bench/load/load-process.ts';
import { claimRtpPorts, claimSignalingPorts } from '../support/free-ports.ts';
import { requirePeer } from '../support/require-peer.ts';
import { Sipp } from '../support/sipp.ts';

const SETTLE_MS = 1_000;
const MEASURED_MS = 3_000;
const MEASURED_FRAMES = MEASURED_MS / 20;

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** The generator is a stopwatch: here time itself is the thing under test, so it is let pass. */
function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function startPhones() {
  const [sip, rtp] = [await claimSignalingPorts(1), await claimRtpPorts(8)];
  const phones = await LoadProcess.start('phones', ['127.0.0.1', `${sip.first}`, `${rtp.first}`]);
  cleanups.push(sip.release, rtp.release, () => phones.stop());
  return { phones, sipPort: sip.first };
}

/** A call stream that echoes what it hears, less every frame for which `drops` is true. */
async function startEchoStream(drops: (frame: number) => boolean): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  cleanups.push(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  server.on('connection', (socket) => {
    let frame = 0;
    socket.on('message', (data, isBinary) => {
      if (!isBinary) socket.send(JSON.stringify({ type: 'audio_config', sample_rate: 16_000 }));
      else if (!drops(frame++)) socket.send(data, { binary: true });
    });
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `ws://127.0.0.1:${(server.address() as { port: number }).port}/stream`;
}

async function measureAgents(streamUrl: string) {
  const agents = await LoadProcess.start('agents');
  cleanups.push(() => agents.stop());
  await agents.ask({ type: 'join', streamUrls: [streamUrl, streamUrl], apiKey: 'none' }, 'ready', 5_000);
  await pass(SETTLE_MS);
  agents.tell({ type: 'begin' });
  await pass(MEASURED_MS);
  return (await agents.ask({ type: 'end' }, 'agents', 5_000)).stats;
}

describe('agents of the load generator', () => {
  it('count every frame of a clean stream', async () => {
    const stats = await measureAgents(await startEchoStream(() => false));
    expect(stats).toMatchObject({ agents: 2, breaks: 0, disconnected: 0, errors: {} });
    expect(Math.abs(stats.framesReceived - 2 * MEASURED_FRAMES)).toBeLessThan(12);
    expect(stats.worstDeviationFrames).toBeLessThanOrEqual(1);
  });

  it('notice a single lost frame', async () => {
    const stats = await measureAgents(await startEchoStream((frame) => frame === 100));
    expect(stats.breaks).toBe(2);
    expect(stats.worstDeviationFrames).toBeGreaterThan(0.5);
  });
});

describe('agents of a stream that stops', () => {
  it('miss what should have come', async () => {
    const stats = await measureAgents(await startEchoStream((frame) => frame > 120));
    expect(stats.worstDeviationFrames).toBeGreaterThan(50);
  });
});

describe.skipIf(requirePeer('sipp'))('phones of the load generator', () => {
  it('answer sipp and get back all that they send', async () => {
    const { phones, sipPort } = await startPhones();
    const callMs = SETTLE_MS + MEASURED_MS + 2_000;
    const sipp = await Sipp.start({
      scenario: { builtIn: 'uac' },
      target: `127.0.0.1:${sipPort}`,
      calls: 1,
      rtpEcho: true,
      extraArgs: ['-d', `${callMs}`],
    });
    cleanups.push(() => sipp.stop());
    await pass(SETTLE_MS);
    phones.tell({ type: 'begin' });
    await pass(MEASURED_MS);
    const { stats } = await phones.ask({ type: 'end' }, 'phones', 5_000);
    expect(stats).toMatchObject({ calls: 1, packetsLost: 0, breaks: 0 });
    expect(Math.abs(stats.packetsSent - MEASURED_FRAMES)).toBeLessThan(6);
    expect(Math.abs(stats.packetsReceived - stats.packetsSent)).toBeLessThanOrEqual(1);
    expect(await sipp.finished(15_000)).toMatchObject({ successful: 1, failed: 0 });
  });
});
