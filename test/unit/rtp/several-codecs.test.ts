import { describe, expect, it } from 'vitest';
import { frameSamples } from '../../../src/base/frame.ts';
import { VoiceStream } from '../../../src/rtp/reception/voice-stream.ts';
import { newRtpCounters } from '../../../src/rtp/rtp-counters.ts';
import { RtpPacket } from '../../../src/rtp/rtp-packet.ts';
import type { RtpCodec, RtpConfig } from '../../../src/rtp/rtp-protocol.ts';
import { STOI_RATE_HZ, stoi } from '../../support/audio-quality/stoi.ts';
import { SENTENCES } from '../../support/speech/spoken-texts.ts';
import { joined, resampled, speech } from '../../support/speech-signal.ts';
import { fitSine } from '../../support/tone-analysis.ts';
import { type AudioSource, CODEC_TYPES, CodecSpeaker, speechSource, toneSource } from './codec-speaker.ts';
import { closing, hear, pair } from './leg-pair.ts';
import { codecs } from './rtp-peer.ts';

interface Call {
  readonly list: readonly RtpCodec[];
  readonly roomRateHz: number;
  readonly source?: AudioSource;
}

/** What is heard of frames that arrive on time, in virtual time. `list` has the agreed codecs. */
function heardOf(frames: readonly RtpCodec[], { list, roomRateHz, source = toneSource() }: Call) {
  const counters = newRtpCounters();
  const agreedList = [...new Set(list)].map((codec) => ({ codec, payloadType: CODEC_TYPES[codec] }));
  const stream = closing(new VoiceStream(codecs, roomRateHz, agreedList, counters));
  const speaker = new CodecSpeaker(source);
  const packet = new RtpPacket();
  const frame = new Int16Array(frameSamples(roomRateHz));
  const heard: number[] = [];
  for (const [i, codec] of frames.entries()) {
    const bytes = speaker.frame(codec);
    packet.read(bytes, 0, bytes.length);
    stream.correct(packet, true);
    stream.audio.insertAudio(packet, i * 20);
    if (stream.audio.pull(frame)) heard.push(...frame);
  }
  return { heard: Int16Array.from(heard), counters };
}

function atStoiRate(samples: Int16Array): Float64Array {
  return Float64Array.from(resampled(samples, 48_000, STOI_RATE_HZ));
}

/** Delays of a decoder and of resamplers, in samples at STOI's rate, with a quiet frame that was left out and without. */
const DELAYS = [0, -200].flatMap((frames) => [0, 20, 40, 65].map((samples) => frames + samples));

function agreed(codec: RtpCodec, others: readonly RtpCodec[]): Partial<RtpConfig> {
  const besides = others.map((each) => ({ codec: each, payloadType: CODEC_TYPES[each] }));
  const opus = codec === 'opus' ? { maxBitrateBps: null, inbandFec: true } : null;
  return { codec, payloadType: CODEC_TYPES[codec], received: { codecs: besides, events: [] }, opus };
}

const times = (count: number, codec: RtpCodec): RtpCodec[] => Array.from({ length: count }, () => codec);

describe('a peer that may send several codecs', () => {
  it('is heard from its first packet in any of them', async () => {
    const { peer, test } = await pair();
    test.configure(peer, agreed('PCMA', ['PCMU']));
    const heard = await hear(peer, test, 50);
    expect(heard.length).toBeGreaterThan(45 * 160);
    expect(fitSine(heard, 8_000, 440).snrDb).toBeGreaterThan(30);
    expect(test.events).toEqual([{ type: 'flowing' }]);
  });

  it.each<[string, readonly RtpCodec[]]>([
    ['after a while', [...times(30, 'PCMU'), ...times(30, 'PCMA'), ...times(30, 'PCMU')]],
    ['with each packet', Array.from({ length: 90 }, (_, i) => (i % 2 === 0 ? 'PCMU' : 'PCMA'))],
  ])('changes %s between the laws of G.711 without a trace', (_, frames) => {
    const { heard, counters } = heardOf(frames, { list: ['PCMU', 'PCMA'], roomRateHz: 8_000 });
    expect(heard.length).toBeGreaterThan(85 * 160);
    expect(fitSine(heard, 8_000, 440).snrDb).toBeGreaterThan(30);
    expect(counters).toMatchObject({ lost: 0, concealed: 0, malformed: 0 });
  });

  it.each([
    [48_000, ['opus', 'PCMU', 'PCMA', 'G722', 'opus', 'PCMA']],
    [16_000, ['G722', 'PCMU', 'G722', 'PCMA']],
    [8_000, ['PCMU', 'G722', 'PCMA']],
  ] as const)(
    'changes between all of them in a room of %i Hz, and loses nothing',
    async (roomRateHz, order) => {
      const frames = order.flatMap((codec) => times(40, codec));
      const { heard, counters } = heardOf(frames, { list: order, roomRateHz });
      const frame = frameSamples(roomRateHz);
      expect(heard.length).toBeGreaterThan((frames.length - 5) * frame);
      expect(counters).toMatchObject({ lost: 0, concealed: 0, late: 0, malformed: 0 });
      for (let i = 0; i < order.length; i++) {
        // The jitter buffer holds two or three frames, and decoders begin softly.
        const part = heard.subarray((i * 40 + 8) * frame, (i * 40 + 34) * frame);
        expect(fitSine(part, roomRateHz, 440).snrDb).toBeGreaterThan(20);
      }
    },
  );

  it('is understood in each of PCMU, PCMA and Opus, which it sends in turn', () => {
    const said = joined(...SENTENCES.slice(0, 2).map((text) => speech(text, 48_000)));
    const order = ['opus', 'PCMU', 'PCMA'] as const;
    const part = Math.floor(said.length / 960 / order.length);
    const source = speechSource(said, 48_000);
    const frames = order.flatMap((codec) => times(part, codec));
    const { heard } = heardOf(frames, { list: order, roomRateHz: 48_000, source });
    const played = atStoiRate(heard);
    for (let i = 0; i < order.length; i++) {
      // G.711 has nothing above 4 kHz, which STOI would take for a loss.
      const full = said.subarray(i * part * 960, (i + 1) * part * 960);
      const narrow = resampled(resampled(full, 48_000, 8_000), 8_000, 48_000);
      const clean = atStoiRate(order[i] === 'opus' ? full : narrow);
      const from = Math.floor((i * part * STOI_RATE_HZ) / 50);
      const scores = DELAYS.map((delay) => {
        const at = Math.max(from + delay, 0);
        return stoi(clean, played.subarray(at, at + clean.length));
      });
      const score = Math.max(...scores);
      expect(score, order[i]!).toBeGreaterThan(0.95);
    }
  });

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
