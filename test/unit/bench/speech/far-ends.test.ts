import { describe, expect, it } from 'vitest';
import { chunkLatenessMs } from '../../../../bench/speech/far-ends/chunk-lateness.ts';
import {
  MARKS,
  markedAudio,
  markedText,
  markIn,
  markInText,
} from '../../../../bench/speech/far-ends/marks.ts';
import { PhoneTone } from '../../../../bench/speech/far-ends/phone-tone.ts';
import { passagesMs } from '../../../../bench/speech/far-ends/sightings.ts';
import { missedByVendor } from '../../../../bench/speech/heard-by-vendor.ts';
import { decodeUlaw, encodeUlaw } from '../../../../src/audio/g711.ts';

describe('a mark', () => {
  it('survives the codec of a call, for every one of them', () => {
    for (let mark = 0; mark < MARKS; mark++) {
      const audio = markedAudio(mark, 160);
      const pcm = new Int16Array(160);
      decodeUlaw(audio, 0, 160, pcm);
      encodeUlaw(pcm, 160, audio, 0);
      expect(markIn(audio)).toBe(mark);
    }
  });

  it('is not seen in silence, in a mixture or in another text', () => {
    expect(markIn(new Uint8Array(160).fill(0xff))).toBeNull();
    expect(markIn(new Uint8Array([...markedAudio(3, 80), ...markedAudio(4, 80)]))).toBeNull();
    expect([markInText(markedText(12)), markInText('Mark my words.')]).toEqual([12, null]);
  });
});

describe('passages', () => {
  it('belong to the next sighting of the same mark', () => {
    const sent = [
      { mark: 1, atUs: 1_000 },
      { mark: 2, atUs: 2_000 },
      { mark: 1, atUs: 2_001_000 },
    ];
    const came = [
      { mark: 1, atUs: 500 },
      { mark: 2, atUs: 5_500 },
      { mark: 1, atUs: 12_000 },
      { mark: 1, atUs: 2_002_000 },
    ];
    expect(passagesMs(sent, came)).toEqual([11, 3.5, 1]);
  });

  it('never end for a mark that is lost', () => {
    const sent = [{ mark: 1, atUs: 0 }];
    expect(passagesMs(sent, [])).toEqual([Number.POSITIVE_INFINITY]);
    expect(passagesMs(sent, [{ mark: 1, atUs: 1_600_000 }])).toEqual([Number.POSITIVE_INFINITY]);
  });
});

describe('the lateness of chunks', () => {
  const tickUs = 7_000;

  it('is counted from the tick of their last frame', () => {
    const chunksUs = [47_500, 89_000, 127_100, 170_000];
    expect(chunkLatenessMs({ chunksUs, tickUs }, 40)).toEqual([0.5, 2, 0.1, 3]);
  });

  it('does not hide a chunk that is later than a frame, nor one that is lost', () => {
    const chunksUs = [47_500, 117_000, 127_500, 207_500];
    expect(chunkLatenessMs({ chunksUs, tickUs }, 40)).toEqual([0.5, 30, 0.5, 40.5]);
  });
});

it("the vendor's tone goes on without a gap, an eighth of a turn further in each frame", () => {
  const tone = new PhoneTone();
  const whole = new PhoneTone().next(400);
  expect([...tone.next(60), ...tone.next(340)]).toEqual([...whole]);
  expect(whole.subarray(8 * 160, 9 * 160)).toEqual(whole.subarray(0, 160));
  expect(whole.subarray(4 * 160, 5 * 160)).not.toEqual(whole.subarray(0, 160));
});

it('tells what the vendor missed', () => {
  expect(missedByVendor([5_040, 4_960], 2, 5_000)).toEqual([]);
  expect(missedByVendor([5_040, 4_000], 3, 5_000)).toEqual([
    'the vendor listens to 2 of 3 calls',
    'the vendor heard too much or too little of 1 calls',
  ]);
});
