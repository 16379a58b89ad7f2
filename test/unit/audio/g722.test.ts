import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { G722_AHEAD_SAMPLES, G722Decoder, G722Encoder } from '../../../src/audio/g722.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { tone } from '../../support/tone.ts';
import { analyzeTone } from '../../support/tone-analysis.ts';
import { likenessAtDb, voice } from './opus-voice.ts';

const RATE_HZ = 16_000;
const FRAME = 320;
/** Samples by which both mirror filters delay. */
const DELAY = 22;
/** SHA-256 of what ffmpeg 5.1.9 makes of the input; test/peers/g722-ffmpeg.test.ts compares with the one that is installed. */
const BY_FFMPEG = {
  ofRandomBytes: '0346c22a8c5176ef29ba3bce248f6e9529fecd683275c487fc522403a736fc80',
  ofVoice: '61d59306568241a2503626d2e0f7214e5ceea2cd958314781962a4c14aebd72b',
};

function encoded(samples: Int16Array, encoder = new G722Encoder()): Uint8Array {
  const bytes = new Uint8Array(samples.length / 2);
  for (let at = 0; at < samples.length; at += FRAME) {
    const frame = samples.subarray(at, at + FRAME);
    encoder.encode(frame, frame.length, bytes, at / 2);
  }
  return bytes;
}

/** In pieces of `pieceBytes`. */
function decoded(bytes: Uint8Array, pieceBytes = 160, decoder = new G722Decoder()): Int16Array {
  const samples = new Int16Array(2 * bytes.length);
  for (let at = 0; at < bytes.length; at += pieceBytes)
    decoder.decode(
      { bytes, payloadOffset: at, payloadLength: Math.min(pieceBytes, bytes.length - at) },
      samples,
      2 * at,
    );
  return samples;
}

const digest = (data: Uint8Array | Int16Array) => createHash('sha256').update(data).digest('hex');
const random = new SeededRandom(7);
const RANDOM_BYTES = Uint8Array.from({ length: 16_000 }, () => random.below(256));
const VOICE = voice(RATE_HZ, 1);

describe('a G.722 decoder', () => {
  it('decodes every byte as ffmpeg does, whatever comes before it', () => {
    expect(digest(decoded(RANDOM_BYTES))).toBe(BY_FFMPEG.ofRandomBytes);
  });

  it.each([1, 40, 80, 240, 480])('decodes pieces of %i bytes as it does the whole', (pieceBytes) => {
    expect(decoded(RANDOM_BYTES, pieceBytes)).toEqual(decoded(RANDOM_BYTES));
  });

  it('honours offsets', () => {
    const bytes = encoded(VOICE);
    const out = new Int16Array(10).fill(7);
    const padded = Uint8Array.of(0, 0, ...bytes.subarray(0, 3));
    new G722Decoder().decode({ bytes: padded, payloadOffset: 2, payloadLength: 3 }, out, 1);
    expect(Array.from(out)).toEqual([7, ...decoded(bytes.subarray(0, 3)), 7, 7, 7]);
  });

  it('starts anew after a reset', () => {
    const decoder = new G722Decoder();
    decoded(RANDOM_BYTES, 160, decoder);
    decoder.reset();
    expect(decoded(encoded(VOICE), 160, decoder)).toEqual(decoded(encoded(VOICE)));
  });

  it('goes on from where another one is, which it leaves alone', () => {
    const bytes = encoded(VOICE);
    const decoder = new G722Decoder();
    const scout = new G722Decoder();
    const start = decoded(bytes.subarray(0, 4_000), 160, decoder);
    scout.follow(decoder);
    const tried = decoded(bytes.subarray(4_000), 160, scout);
    const rest = decoded(bytes.subarray(4_000), 160, decoder);
    expect(tried).toEqual(rest);
    expect(Int16Array.of(...start, ...rest)).toEqual(decoded(bytes));
  });

  // Mode 3: the two lowest bits of each byte carry data (ITU-T G.722 section 1.4).
  it.each([
    [1, 30],
    [2, 25],
  ])('understands a stream whose lowest %i bits are not sound', (bits, snrDb) => {
    const mask = (1 << bits) - 1;
    const stolen = encoded(tone(1_000, RATE_HZ, RATE_HZ)).map((byte, i) => (byte & ~mask) | (i & mask));
    expect(analyzeTone(decoded(stolen), RATE_HZ, 1_000).snrDb).toBeGreaterThan(snrDb);
  });

  it('finds back into a stream of which it lost a part', () => {
    const bytes = encoded(VOICE);
    const whole = decoded(bytes);
    const rest = decoded(bytes.subarray(3_200));
    const settled = rest.subarray(3_200);
    expect(likenessAtDb(settled, whole.subarray(6_400 + 3_200), 0)).toBeGreaterThan(30);
  });
});

describe('a G.722 decoder that lost a part', () => {
  const bytes = encoded(VOICE);
  const whole = decoded(bytes);
  /** Sample at which a loss begins in the middle of the voice, and how long it lasts. */
  const lostFrom = 6_400;

  function afterLoss(lost: number, assume: (decoder: G722Decoder) => void): Int16Array {
    const decoder = new G722Decoder();
    decoded(bytes.subarray(0, lostFrom / 2), 160, decoder);
    assume(decoder);
    return decoded(bytes.subarray((lostFrom + lost) / 2), 160, decoder).subarray(0, FRAME);
  }

  it.each([FRAME, 3 * FRAME])('goes on from %i samples that were concealed well', (lost) => {
    const truth = whole.subarray(lostFrom + lost);
    const assumed = afterLoss(lost, (decoder) => {
      for (let at = lostFrom; at < lostFrom + lost; at += FRAME)
        decoder.assume(whole.subarray(at, at + FRAME + G722_AHEAD_SAMPLES), FRAME);
    });
    const unaware = afterLoss(lost, () => {});
    expect(likenessAtDb(assumed, truth, 0)).toBeGreaterThan(likenessAtDb(unaware, truth, 0) + 5);
  });
});

describe('a G.722 encoder', () => {
  it('encodes a voice as ffmpeg does', () => {
    expect(digest(encoded(VOICE))).toBe(BY_FFMPEG.ofVoice);
  });

  it.each([300, 1_000, 3_500, 5_000, 6_800])('keeps a tone of %i Hz and its level', (toneHz) => {
    const { snrDb, amplitude } = analyzeTone(
      decoded(encoded(tone(toneHz, RATE_HZ, RATE_HZ))),
      RATE_HZ,
      toneHz,
    );
    expect(snrDb).toBeGreaterThan(toneHz < 4_000 ? 34 : 20);
    expect(amplitude).toBeGreaterThan(9_700);
    expect(amplitude).toBeLessThan(10_300);
  });

  it('is silent within 4 steps of zero', () => {
    const heard = decoded(encoded(new Int16Array(RATE_HZ)));
    expect(Math.max(...heard.map(Math.abs))).toBeLessThanOrEqual(4);
  });

  it('saturates, and never wraps, at full scale', () => {
    for (const sample of [32_767, -32_768]) {
      const heard = decoded(encoded(new Int16Array(RATE_HZ).fill(sample))).subarray(FRAME);
      expect(heard.every((each) => Math.sign(each) === Math.sign(sample))).toBe(true);
    }
    const square = Int16Array.from({ length: RATE_HZ }, (_, i) => (i % 160 < 80 ? 32_767 : -32_768));
    const heard = decoded(encoded(square));
    const isSteady = (i: number) => i % 80 > 30 && i % 80 < 70;
    const wrong = square.filter(
      (sample, i) => isSteady(i) && i > FRAME && sample * (heard[i + DELAY] ?? sample) < 0,
    );
    expect(wrong.length).toBe(0);
  });

  it('carries a voice', () => {
    expect(likenessAtDb(decoded(encoded(VOICE)), VOICE, DELAY)).toBeGreaterThan(20);
  });
});
