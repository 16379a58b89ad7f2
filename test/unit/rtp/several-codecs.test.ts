import { describe, expect, it } from 'vitest';
import { frameSamples } from '../../../src/base/frame.ts';
import type { VoiceEncoder } from '../../../src/rtp/codecs/voice-codec.ts';
import type { RtpCodec, RtpConfig } from '../../../src/rtp/rtp-protocol.ts';
import { Tone } from '../../support/tone.ts';
import { fitSine } from '../../support/tone-analysis.ts';
import { arrived, closing, hear, pair } from './leg-pair.ts';
import { codecs, RtpPeer, TestLeg, until } from './rtp-peer.ts';

const TYPES: Readonly<Record<RtpCodec, number>> = { PCMU: 0, PCMA: 8, G722: 9, opus: 111 };

/** A phone that may send each frame of its tone in another codec; one timeline, as RFC 7160 has it. */
class Speaker {
  readonly #peer: RtpPeer;
  readonly #tones = new Map<number, Tone>();
  readonly #encoders = new Map<RtpCodec, VoiceEncoder>();

  constructor(peer: RtpPeer) {
    this.#peer = peer;
  }

  frame(codec: RtpCodec): Buffer {
    const encoder = this.#encoders.get(codec) ?? codecs.encoder(codec, 48_000);
    this.#encoders.set(codec, encoder);
    const samples = this.#samples(encoder.sampleRateHz);
    const bytes = Buffer.alloc(400);
    const length = encoder.encode(samples, true, bytes, 0);
    const packet = this.#peer.buildRaw(TYPES[codec], bytes.subarray(0, length), this.#peer.timestamp);
    this.#peer.timestamp = (this.#peer.timestamp + encoder.clockRateHz / 50) >>> 0;
    return packet;
  }

  /** The next 20 ms of the tone; at each rate it goes on, whatever is sent. */
  #samples(rateHz: number): Int16Array {
    let wanted = new Int16Array(0);
    for (const hz of [8_000, 16_000, 48_000]) {
      const tone = this.#tones.get(hz) ?? new Tone(440, hz, 0.5);
      this.#tones.set(hz, tone);
      const samples = new Int16Array(frameSamples(hz));
      tone.fill(samples);
      if (hz === rateHz) wanted = samples;
    }
    return wanted;
  }
}

async function heardOf(frames: readonly RtpCodec[], config: Partial<RtpConfig>, roomRateHz: number) {
  const peer = closing(await RtpPeer.start());
  const test = await TestLeg.open(undefined, null, roomRateHz);
  closing(test.leg);
  test.configure(peer, config);
  const speaker = new Speaker(peer);
  const heard: number[] = [];
  for (const [i, codec] of frames.entries()) {
    await peer.send(speaker.frame(codec), test.port);
    await until(() => arrived(test) > i, `packet ${i}`);
    const frame = test.pull();
    if (frame !== null) heard.push(...frame);
  }
  return { heard: Int16Array.from(heard), test };
}

function agreed(codec: RtpCodec, others: readonly RtpCodec[]): Partial<RtpConfig> {
  const besides = others.map((each) => ({ codec: each, payloadType: TYPES[each] }));
  const opus = codec === 'opus' ? { maxBitrateBps: null, inbandFec: true } : null;
  return { codec, payloadType: TYPES[codec], received: { codecs: besides, events: [] }, opus };
}

const times = (count: number, codec: RtpCodec): RtpCodec[] => Array.from({ length: count }, () => codec);

describe('a peer that may send several codecs', () => {
  it('is heard from its first packet in any of them', async () => {
    const { heard, test } = await heardOf(times(50, 'PCMU'), agreed('PCMA', ['PCMU']), 8_000);
    expect(heard.length).toBeGreaterThan(45 * 160);
    expect(fitSine(heard, 8_000, 440).snrDb).toBeGreaterThan(30);
    expect(test.events).toEqual([{ type: 'flowing' }]);
  });

  it.each<[string, readonly RtpCodec[]]>([
    ['after a while', [...times(30, 'PCMU'), ...times(30, 'PCMA'), ...times(30, 'PCMU')]],
    ['with each packet', Array.from({ length: 90 }, (_, i) => (i % 2 === 0 ? 'PCMU' : 'PCMA'))],
  ])('changes %s between the laws of G.711 without a trace', async (_, frames) => {
    const { heard, test } = await heardOf(frames, agreed('PCMU', ['PCMA']), 8_000);
    expect(heard.length).toBeGreaterThan(85 * 160);
    expect(fitSine(heard, 8_000, 440).snrDb).toBeGreaterThan(30);
    expect(test.leg.counters).toMatchObject({ lost: 0, concealed: 0, malformed: 0 });
  });

  it.each([
    [48_000, ['opus', 'PCMU', 'PCMA', 'G722', 'opus', 'PCMA']],
    [16_000, ['G722', 'PCMU', 'G722', 'PCMA']],
    [8_000, ['PCMU', 'G722', 'PCMA']],
  ] as const)(
    'changes between all of them in a room of %i Hz, and loses nothing',
    async (roomRateHz, order) => {
      const frames = order.flatMap((codec) => times(40, codec));
      const [first, ...others] = order;
      const { heard, test } = await heardOf(frames, agreed(first, others), roomRateHz);
      const frame = frameSamples(roomRateHz);
      expect(heard.length).toBeGreaterThan((frames.length - 5) * frame);
      expect(test.leg.counters).toMatchObject({ lost: 0, concealed: 0, late: 0, malformed: 0 });
      for (let i = 0; i < order.length; i++) {
        // The jitter buffer holds two or three frames, and decoders begin softly.
        const part = heard.subarray((i * 40 + 8) * frame, (i * 40 + 34) * frame);
        expect(fitSine(part, roomRateHz, 440).snrDb).toBeGreaterThan(20);
      }
    },
  );

  it('loses nothing when the agreement changes within what was agreed before', async () => {
    const { peer, test } = await pair();
    test.configure(peer, agreed('PCMU', ['PCMA']));
    const before = await hear(peer, test, 20);
    test.configure(peer, agreed('PCMA', ['PCMU']));
    const after = await hear(peer, test, 20, { codec: 'PCMA', payloadType: 8 });
    expect(before.length + after.length).toBeGreaterThan(37 * 160);
    expect(test.leg.counters).toMatchObject({ lost: 0, concealed: 0 });
  });
});
