import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PortPool } from '../../../../../../src/connectors/sip/signaling/sdp/port-pool.ts';
import { RtpPorts } from '../../../../../../src/connectors/sip/signaling/sdp/rtp-ports.ts';
import { loadMediaIo, type MediaIoBinding } from '../../../../../../src/native/media-io.ts';
import { claimRtpPorts, type PortClaim } from '../../../../../support/free-ports.ts';
import { ManualClock } from '../../../../../support/manual-clock.ts';
import { closing } from '../../../../rtp/leg-pair.ts';
import { io, until } from '../../../../rtp/rtp-peer.ts';

const HOST = '127.0.0.1';
const PAIRS = 10;
/** The number of pairs that PortPool keeps. */
const STOCKED = 8;

describe.runIf(io.kind === 'native')('the pool of pre-bound RTP ports', () => {
  const clock = new ManualClock();
  let claim: PortClaim;
  let ports: RtpPorts;
  let stock: PortPool;

  beforeEach(async () => {
    claim = await claimRtpPorts(2 * PAIRS);
    ports = new RtpPorts(claim.first, claim.last);
    stock = new PortPool(ports, HOST, clock, () => loadMediaIo() as MediaIoBinding);
  });

  afterEach(() => {
    stock.close();
    claim.release();
  });

  function filled(): PortPool {
    stock.start();
    clock.advance(1_000);
    return stock;
  }

  async function bind(port: number): Promise<void> {
    const socket = closing(createSocket('udp4'));
    socket.bind(port, HOST);
    await once(socket, 'listening');
  }

  async function tell(text: string, port: number): Promise<void> {
    const socket = closing(createSocket('udp4'));
    await new Promise((resolve) => socket.send(text, port, HOST, resolve));
  }

  it('is empty until it is filled, and refills after a pair was taken', () => {
    expect(stock.takeBound()).toBeNull();
    filled();
    expect(ports.takenCount).toBe(STOCKED);
    for (let taken = 0; taken < STOCKED; taken += 1) expect(stock.takeBound()?.bound).not.toBeNull();
    expect(stock.takeBound()).toBeNull();
    clock.advance(10);
    expect(ports.takenCount).toBe(PAIRS);
    expect(stock.takeBound()).not.toBeNull();
  });

  it('skips ports that others use', async () => {
    for (let pair = 0; pair < PAIRS - 1; pair += 1) await bind(claim.first + 2 * pair + (pair % 2));
    filled();
    expect(ports.takenCount).toBe(1);
    expect(stock.takeBound()?.port).toBe(claim.first + 2 * (PAIRS - 1));
  });

  it('hands out the bound ones too when all others are taken', () => {
    filled();
    const taken = Array.from({ length: PAIRS }, () => stock.take()!.port);
    expect(new Set(taken).size).toBe(PAIRS);
    expect(stock.take()).toBeNull();
  });

  it('frees the ports of a pair that was never adopted, and all others at the end', async () => {
    const pair = filled().takeBound()!;
    await expect(bind(pair.port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    stock.release(pair);
    await bind(pair.port);
    stock.close();
    for (let port = claim.first; port <= claim.last; port += 1) {
      if (port !== pair.port) await bind(port);
    }
  });

  it('lets a worker adopt the sockets once, with the packets since they were handed out', async () => {
    filled();
    for (let port = claim.first; port <= claim.last; port += 2) await tell('too early', port);
    const { port, bound } = stock.takeBound()!;
    await tell('hello', port);
    const heard: string[] = [];
    const sockets = closing(await io.open({ bindHost: HOST, rtpPort: port, bound }));
    const note = ({ bytes, start, end }: { bytes: Uint8Array; start: number; end: number }): void => {
      heard.push(Buffer.from(bytes.subarray(start, end)).toString());
    };
    sockets.listen({ onRtp: note, onRtcp: note, onBug: () => {} });
    await tell('control', port + 1);
    await until(() => heard.length === 2, 'both packets');
    expect(heard.sort()).toEqual(['control', 'hello']);
    await expect(io.open({ bindHost: HOST, rtpPort: port, bound })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    sockets.close();
    closing(await io.open({ bindHost: HOST, rtpPort: port, bound })).close();
    stock.release({ port, bound });
  });
});
