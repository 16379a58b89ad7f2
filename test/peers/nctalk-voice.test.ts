import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPUS_PAYLOAD_TYPE } from '../../src/connectors/nctalk/voice/talk-protocol.ts';
import { type FrameRing, FrameRingConsumer, frameRingMemory } from '../../src/rings/frame-ring.ts';
import { PACKET_MEDIA } from '../../src/rtp/rtp-protocol.ts';
import { BridgePool } from '../../src/threads/bridge-pool.ts';
import type { EngineCall } from '../../src/threads/call-link.ts';
import { Engine } from '../../src/threads/engine.ts';
import { Janus } from '../support/janus.ts';
import { requirePeer } from '../support/require-peer.ts';
import { TalkRoom } from '../support/talk-room.ts';
import { Tone } from '../support/tone.ts';
import { analyzeTone, toneLevelDb } from '../support/tone-analysis.ts';
import { waitFor } from '../support/wait-for.ts';
import { HEARD_RATE_HZ } from '../support/webrtc-people.ts';
import { roomyQueue } from '../unit/threads/roomy-queue.ts';

const RATE_HZ = 48_000;
const ANNA_HZ = 440;
const BEN_HZ = 700;
const AGENT_HZ = 1_300;
const CLEAR_DB = 20;
const APART_DB = 40;

const skip = requirePeer('janus');

describe.skipIf(skip)('a call of Nextcloud Talk with a real Janus and libwebrtc', () => {
  let janus: Janus;
  let engine: Engine;
  let pool: BridgePool;
  let room: TalkRoom;
  let call: EngineCall;
  const voices = new Map<number, number>();

  beforeAll(async () => {
    janus = await Janus.start();
    engine = await Engine.start({ threads: 1, callsPerThread: null, stallMs: 2_000, observer: quiet });
    pool = new BridgePool({ observer: quietBridge });
    room = await TalkRoom.open(janus);
    const rings = pool.packetRings();
    call = engine.place('call_1', { ended: () => {} });
    const media = await call.media.open(
      PACKET_MEDIA,
      { rings, sampleRateHz: RATE_HZ, speakers: 'ssrc' },
      (event) => {
        if (event.type === 'signal') voices.set(event.signal.ssrc, event.signal.voice);
      },
    );
    const opus = { maxBitrateBps: null, inbandFec: true };
    const both = { sending: true, receiving: true };
    await media.configure({ codec: 'opus', payloadType: OPUS_PAYLOAD_TYPE, opus, ...both });
    say(call);
    await Promise.all([room.enter('anna', ANNA_HZ), room.enter('ben', BEN_HZ)]);
    await room.openTransport(pool, rings);
    await room.publish();
    await Promise.all([room.subscribe('anna'), room.subscribe('ben'), room.listen('listener')]);
  });

  afterAll(async () => {
    await room?.close();
    await engine?.close(1_000);
    await pool?.close(1_000);
    await janus?.stop();
  });

  it.each([
    ['anna', ANNA_HZ, BEN_HZ],
    ['ben', BEN_HZ, ANNA_HZ],
  ])('hears %s apart from everybody else', async (name, ownHz, othersHz) => {
    const voice = await waitFor(`the voice of ${name}`, () => found(voices.get(room.streamOf(name) ?? -1)));
    const tap = { sampleRateHz: RATE_HZ, memory: frameRingMemory(RATE_HZ) };
    call.tap(voice.id, tap);
    const heard = await secondsOf(tap, 1.5);
    expect(analyzeTone(heard, RATE_HZ, ownHz).snrDb).toBeGreaterThan(CLEAR_DB);
    expect(toneLevelDb(heard, RATE_HZ, othersHz)).toBeLessThan(toneLevelDb(heard, RATE_HZ, ownHz) - APART_DB);
  });

  it('is heard by people', async () => {
    const heard = await room.people.hear('listener', 1_500);
    expect(analyzeTone(heard, HEARD_RATE_HZ, AGENT_HZ).snrDb).toBeGreaterThan(CLEAR_DB);
  });

  it('keeps the voice of somebody whose connection is made again', async () => {
    const before = room.streamOf('anna');
    room.signals.length = 0;
    await room.subscribe('anna');
    expect(room.streamOf('anna')).toBe(before);
    const tap = { sampleRateHz: RATE_HZ, memory: frameRingMemory(RATE_HZ) };
    call.tap(voices.get(before!)!, tap);
    const heard = await secondsOf(tap, 1.5);
    expect(analyzeTone(heard, RATE_HZ, ANNA_HZ).snrDb).toBeGreaterThan(CLEAR_DB);
  });

  it('says what is wrong with an offer, and goes on', async () => {
    const offer = ['v=0', 'm=video 9 UDP/TLS/RTP/SAVPF 96', 'a=rtpmap:96 VP8/90000', ''].join('\r\n');
    await expect(room.transport!.command('subscribe', 'carl', offer)).rejects.toThrow('has no Opus');
    await expect(room.transport!.command('subscribe', 'carl', 'nonsense')).rejects.toThrow('has no Opus');
  });
});

const quiet = { workerReady() {}, workerLost() {}, callMoved() {}, callFailed() {}, fault() {} };
const quietBridge = { transportLost() {}, threadStalled() {}, fault() {} };

/** 0 is a voice as well. */
function found(voice: number | undefined): { id: number } | null {
  return voice === undefined ? null : { id: voice };
}

/** The agent says one tone for a minute. */
function say(call: EngineCall): void {
  const observer = {
    frame: () => true,
    cork: (give: () => void) => give(),
    mark() {},
    cleared() {},
    overrun() {},
    overflow() {},
  };
  const agent = call.joinAgent(observer as never, roomyQueue());
  agent.listen(RATE_HZ);
  call.startAudio();
  const samples = new Int16Array(60 * RATE_HZ);
  new Tone(AGENT_HZ, RATE_HZ, 0.3).fill(samples);
  agent.write(samples, RATE_HZ);
}

async function secondsOf(tap: FrameRing, seconds: number): Promise<Int16Array> {
  const ring = new FrameRingConsumer(tap.memory, tap.sampleRateHz);
  const frames: Uint8Array[] = [];
  await waitFor('frames of the tap', () => {
    for (let waiting = ring.waiting(); waiting > 0; waiting--) {
      frames.push(Uint8Array.from(ring.oldest()));
      ring.release();
    }
    return frames.length >= seconds * 50;
  });
  const bytes = Buffer.concat(frames);
  return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
}
