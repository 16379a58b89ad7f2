import { describe, expect, it } from 'vitest';
import { type SignalledSource, SourceLatch } from '../../../../src/rtp/reception/source-latch.ts';
import { RtpPacket } from '../../../../src/rtp/rtp-packet.ts';

const SDP = '198.51.100.10';
const OTHER = '203.0.113.66';

function signalled(changes: Partial<SignalledSource> = {}): SignalledSource {
  return {
    remoteHost: SDP,
    remotePort: 4_000,
    remotePlausible: true,
    signalingHost: SDP,
    behindNat: false,
    ...changes,
  };
}

/** A latch in virtual time. */
class Scene {
  readonly latch = new SourceLatch();
  nowMs = 10_000;
  readonly #sequences = new Map<string, number>();

  constructor(changes: Partial<SignalledSource> = {}) {
    this.latch.signal(signalled(changes), this.nowMs);
  }

  get target(): string {
    return `${this.latch.host}:${this.latch.port}`;
  }

  /** Sends packets 20 ms apart; returns the verdict on the last one. */
  send(host: string, port: number, packets: number, { isAudio = true, step = 1, ssrc = port } = {}): string {
    let judgement = '';
    for (let i = 0; i < packets; i++) {
      this.nowMs += 20;
      const packet = new RtpPacket();
      packet.ssrc = ssrc;
      packet.sequenceNumber = ((this.#sequences.get(`${host}${port}`) ?? 65_533) + step) & 0xffff;
      this.#sequences.set(`${host}${port}`, packet.sequenceNumber);
      judgement = this.latch.judge(packet, isAudio, { address: host, port }, this.nowMs);
    }
    return judgement;
  }
}

describe('the source of a call’s audio', () => {
  it('is the address in the SDP from its first packet on', () => {
    const scene = new Scene();
    expect(scene.send(SDP, 4_000, 1)).toBe('new');
    expect(scene.send(SDP, 4_000, 1)).toBe('current');
  });

  it('changes only after five audio packets in a row', () => {
    const scene = new Scene();
    expect(scene.send(SDP, 5_000, 4)).toBe('stranger');
    expect(scene.target).toBe(`${SDP}:4000`);
    expect(scene.send(SDP, 5_000, 1)).toBe('new');
    expect(scene.target).toBe(`${SDP}:5000`);
    expect(scene.send(SDP, 5_000, 1)).toBe('current');
  });

  it('ignores packets of other types, with gaps, of changing streams or with long pauses', () => {
    const scene = new Scene();
    expect(scene.send(SDP, 5_000, 20, { isAudio: false })).toBe('stranger');
    expect(scene.send(SDP, 5_000, 20, { step: 4 })).toBe('stranger');
    expect(scene.send(SDP, 5_000, 20, { step: 0 })).toBe('stranger');
    for (let ssrc = 0; ssrc < 20; ssrc++) expect(scene.send(SDP, 5_000, 1, { ssrc })).toBe('stranger');
    for (let i = 0; i < 20; i++) {
      scene.nowMs += 1_000;
      expect(scene.send(SDP, 5_000, 1)).toBe('stranger');
    }
    expect(scene.target).toBe(`${SDP}:4000`);
  });

  it('tolerates a lost packet or two in the row', () => {
    expect(new Scene().send(SDP, 5_000, 5, { step: 3 })).toBe('new');
  });

  it('never moves from the signalled address to another, however long it is silent', () => {
    const scene = new Scene();
    scene.send(SDP, 4_000, 1);
    scene.nowMs += 60_000;
    expect(scene.send(SDP, 5_000, 50)).toBe('stranger');
    expect(scene.send(OTHER, 4_000, 50)).toBe('stranger');
    expect(scene.target).toBe(`${SDP}:4000`);
    expect(scene.send(SDP, 4_000, 1)).toBe('current');
  });

  it('moves after two seconds of silence and five packets when the trunk is behind a NAT', () => {
    const scene = new Scene({ behindNat: true });
    scene.send(SDP, 4_000, 1);
    expect(scene.send(OTHER, 6_000, 50)).toBe('stranger');
    scene.send(SDP, 4_000, 1);
    scene.nowMs += 1_900;
    expect(scene.send(OTHER, 6_000, 4)).toBe('stranger');
    scene.nowMs += 200;
    expect(scene.send(OTHER, 6_000, 5)).toBe('new');
    expect(scene.target).toBe(`${OTHER}:6000`);
  });

  it('returns to the address in the SDP after five packets from there', () => {
    const scene = new Scene();
    scene.send(SDP, 5_000, 5);
    expect(scene.send(SDP, 4_000, 4)).toBe('stranger');
    expect(scene.target).toBe(`${SDP}:5000`);
    expect(scene.send(SDP, 4_000, 1)).toBe('new');
    expect(scene.target).toBe(`${SDP}:4000`);
  });

  it('is never a host that signaling has not shown, before the phone was heard and after', () => {
    const scene = new Scene();
    expect(scene.send(OTHER, 6_000, 50)).toBe('stranger');
    scene.send(SDP, 5_000, 5);
    scene.nowMs += 60_000;
    expect(scene.send(OTHER, 6_000, 50)).toBe('stranger');
    expect(scene.send(SDP, 5_000, 1)).toBe('current');
    expect(new Scene().target).toBe(`${SDP}:4000`);
  });

  it('is found behind a NAT where the signaling comes from', () => {
    const scene = new Scene({ remoteHost: '192.168.1.20', remotePlausible: false, signalingHost: OTHER });
    expect(scene.send('198.51.100.99', 6_000, 4)).toBe('stranger');
    expect(scene.send(OTHER, 6_001, 5)).toBe('new');
    expect(scene.target).toBe(`${OTHER}:6001`);
  });

  it('is followed to any host when the trunk is behind a NAT', () => {
    const scene = new Scene({ remoteHost: '192.168.1.20', remotePlausible: false, behindNat: true });
    expect(scene.send(OTHER, 6_000, 5)).toBe('new');
    expect(scene.target).toBe(`${OTHER}:6000`);
  });

  it('cannot be blocked by others that send in between, from any number of ports', () => {
    const scene = new Scene();
    for (let i = 0; i < 4; i++) {
      expect(scene.send(SDP, 5_000, 1)).toBe('stranger');
      for (let port = 7_000; port < 7_050; port++) scene.send(OTHER, port + i, 1);
      scene.nowMs -= 1_000;
    }
    expect(scene.send(SDP, 5_000, 1)).toBe('new');
  });

  it('moves at once with a new description, and late packets from the old address do not move it back', () => {
    const scene = new Scene();
    scene.send(SDP, 5_000, 5);
    expect(scene.latch.signal(signalled({ remotePort: 4_010 }), scene.nowMs)).toBe(true);
    expect(scene.target).toBe(`${SDP}:4010`);
    expect(scene.send(SDP, 5_000, 50)).toBe('stranger');
    expect(scene.send(SDP, 4_010, 1)).toBe('new');
    expect(scene.latch.signal(signalled({ remotePort: 4_010 }), scene.nowMs)).toBe(false);
  });

  it('is restored in a new worker', () => {
    const scene = new Scene();
    scene.latch.resume(SDP, 5_000, scene.nowMs);
    expect(scene.target).toBe(`${SDP}:5000`);
    expect(scene.send(SDP, 5_000, 1)).toBe('current');
  });

  it('is unset until the first packets when the SDP names no address', () => {
    const scene = new Scene({ remoteHost: '', remotePort: 0, remotePlausible: false, signalingHost: OTHER });
    expect(scene.target).toBe(':0');
    expect(scene.send(OTHER, 6_000, 5)).toBe('new');
    expect(scene.target).toBe(`${OTHER}:6000`);
  });
});
