import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { Generator } from '../../bench/generator/generator.ts';
import { lossesOf } from '../../bench/generator/generator-report.ts';
import { SipAnswerer } from '../../bench/generator/sip-answerer.ts';
import { song } from '../../bench/opus/song.ts';
import { claimSignalingPorts } from '../support/free-ports.ts';
import { requirePeer } from '../support/require-peer.ts';
import { Sipp } from '../support/sipp.ts';
import { retryAfterStall } from '../support/stall-probe.ts';

const SETTLE_MS = 1_000;
const MEASURED_MS = 2_000;
const MEASURED_FRAMES = MEASURED_MS / 20;
/** Frame of an echo that comes after the counting has begun. */
const LATER_FRAME = 75;

const cleanups: (() => unknown)[] = [];
/** A generator that was held up for longer has sent late itself. */
const retry = retryAfterStall(10);

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** The generator is a stopwatch: here time itself is the thing under test, so it is let pass. */
function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function startGenerator(): Generator {
  const generator = Generator.start();
  cleanups.push(() => generator.stop());
  return generator;
}

async function measure(generator: Generator) {
  await pass(SETTLE_MS);
  await generator.begin();
  await pass(MEASURED_MS);
  return generator.end();
}

/** A call stream that sends back what `echo` makes of each frame; null: nothing. */
async function startEchoStream(echo: (data: Buffer, frame: number) => Buffer | null): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  cleanups.push(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  server.on('connection', (socket) => {
    let frame = 0;
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) return socket.send(JSON.stringify({ type: 'audio_config', sample_rate: 16_000 }));
      const back = echo(data, frame++);
      if (back !== null) socket.send(back, { binary: true });
    });
    socket.ping('are you there?');
    socket.once('pong', (text) => {
      if (text.toString() !== 'are you there?') socket.terminate();
    });
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `ws://127.0.0.1:${(server.address() as { port: number }).port}/stream`;
}

async function measureAgents(streamUrl: string) {
  const generator = startGenerator();
  await generator.joinAgents([streamUrl, streamUrl], 'none');
  return measure(generator);
}

describe.skipIf(requirePeer('cc'))('agents of the load generator', () => {
  it('count every frame of a clean stream', async () => {
    const report = await measureAgents(await startEchoStream((data) => data));
    expect(report.agents).toMatchObject({ count: 2, breaks: 0, silent: 0, gone: 0, errors: 0, blocked: 0 });
    expect(Math.abs(report.agents.received - 2 * MEASURED_FRAMES)).toBeLessThan(12);
    expect(lossesOf(report, 0, 2)).toEqual([]);
  });

  it('notice a single lost frame', async () => {
    const report = await measureAgents(
      await startEchoStream((data, frame) => (frame === LATER_FRAME ? null : data)),
    );
    expect(report.agents).toMatchObject({ breaks: 2, silent: 0 });
    expect(lossesOf(report, 0, 2)).not.toEqual([]);
  });

  it('notice a silent frame', async () => {
    const report = await measureAgents(
      await startEchoStream((data, frame) => (frame === LATER_FRAME ? Buffer.alloc(data.length) : data)),
    );
    // The frame itself and the return from it, on both connections.
    expect(report.agents).toMatchObject({ breaks: 4, silent: 2 });
  });

  it('notice a frame that is repeated in place of the next', async () => {
    let last = Buffer.alloc(640);
    const report = await measureAgents(
      await startEchoStream((data, frame) => {
        const said = frame === LATER_FRAME ? last : data;
        last = Buffer.from(data);
        return said;
      }),
    );
    expect(report.agents.breaks).toBeGreaterThanOrEqual(2);
  });

  it('notice that a stream stops', async () => {
    const report = await measureAgents(
      await startEchoStream((data, frame) => (frame > LATER_FRAME ? null : data)),
    );
    expect(report.agents.worstDeviationFrames).toBeGreaterThan(50);
  });

  it('report an error when they cannot join', async () => {
    const nobody = 'ws://127.0.0.1:9/stream';
    await expect(startGenerator().joinAgents([nobody], 'none')).rejects.toThrow('1 agents could not join');
  });
});

describe.skipIf(requirePeer('cc'))('phones of the load generator', () => {
  it('hear each other, and miss nothing', { retry }, async () => {
    const generator = startGenerator();
    const [a = 0, b = 0] = await generator.openPhones(2);
    generator.call(0, '127.0.0.1', b);
    generator.call(1, '127.0.0.1', a);
    const report = await measure(generator);
    expect(report.phones).toMatchObject({ count: 2, lost: 0, breaks: 0 });
    expect(lossesOf(report, 2, 0)).toEqual([]);
    expect(lossesOf(report, 3, 0)).toEqual(['2 of 3 phones']);
  });
});

// ffmpeg brings libopus0 along.
describe.skipIf(requirePeer('cc', 'ffmpeg'))('phones of the load generator that speak Opus', () => {
  async function startSingers(): Promise<{ generator: Generator; ports: readonly number[] }> {
    const generator = startGenerator();
    const folder = mkdtempSync(join(tmpdir(), 'song-'));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'song');
    writeFileSync(file, song());
    await generator.sing({ file, payloadType: 111, complexity: 4, bitrateBps: 24_000 });
    return { generator, ports: await generator.openPhones(2) };
  }

  it('hear each other, and miss nothing', { retry }, async () => {
    const { generator, ports } = await startSingers();
    generator.call(0, '127.0.0.1', ports[1] ?? 0);
    generator.call(1, '127.0.0.1', ports[0] ?? 0);
    const report = await measure(generator);
    expect(report.phones).toMatchObject({ count: 2, lost: 0, breaks: 0 });
    expect(lossesOf(report, 2, 0)).toEqual([]);
  });

  it('notice dropped packets despite contiguous sequence numbers', async () => {
    const { generator, ports } = await startSingers();
    const relay = await startRelay(ports[0] ?? 0, ports[1] ?? 0, 10);
    generator.call(0, '127.0.0.1', relay);
    generator.call(1, '127.0.0.1', relay);
    const { phones } = await measure(generator);
    expect(phones.lost).toBe(0);
    expect(phones.breaks).toBeGreaterThan(3);
  });

  /** Passes RTP on from one port to the other but for every nth packet, and numbers it anew. */
  async function startRelay(from: number, to: number, leftOut: number): Promise<number> {
    const socket = createSocket('udp4');
    cleanups.push(() => socket.close());
    let [came, went] = [0, 0];
    socket.on('message', (packet, { port }) => {
      if (port !== from || ++came % leftOut === 0) return;
      packet.writeUInt16BE(went++, 2);
      socket.send(packet, to, '127.0.0.1');
    });
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return socket.address().port;
  }
});

describe.skipIf(requirePeer('cc', 'sipp'))('phones of the load generator behind SIP', () => {
  it('answer sipp and get back all that they send', async () => {
    const generator = startGenerator();
    const sip = await claimSignalingPorts(1);
    const [port = 0] = await generator.openPhones(1);
    const answerer = new SipAnswerer('127.0.0.1', sip.first, (remote) => {
      generator.call(0, remote.host, remote.port);
      return port;
    });
    await answerer.listen();
    cleanups.push(sip.release, () => answerer.close());
    const sipp = await Sipp.start({
      scenario: { builtIn: 'uac' },
      target: `127.0.0.1:${sip.first}`,
      calls: 1,
      rtpEcho: true,
      extraArgs: ['-d', `${SETTLE_MS + MEASURED_MS + 2_000}`],
    });
    cleanups.push(() => sipp.stop());
    const { phones } = await measure(generator);
    expect(phones).toMatchObject({ count: 1, lost: 0, breaks: 0 });
    expect(Math.abs(phones.sent - MEASURED_FRAMES)).toBeLessThan(6);
    expect(Math.abs(phones.received - phones.sent)).toBeLessThanOrEqual(1);
    expect(await sipp.finished(30_000)).toMatchObject({ successful: 1, failed: 0 });
  });
});
