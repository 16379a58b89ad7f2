import { describe, expect, it } from 'vitest';
import { DtmfTone } from '../../../src/rtp/dtmf/dtmf-tone.ts';
import { ToneReceiver } from '../../../src/rtp/dtmf/tone-receiver.ts';
import { NUMBERS, SENTENCES } from '../../support/speech/spoken-texts.ts';
import { speech } from '../../support/speech-signal.ts';
import { closing } from './leg-pair.ts';
import { RtpPeer, TestLeg, until } from './rtp-peer.ts';

const KEYS = '0123456789*#ABCD';

function digitsIn(samples: Int16Array, rateHz: number): string {
  const receiver = new ToneReceiver(rateHz);
  let digits = '';
  for (let at = 0; at + rateHz / 50 <= samples.length; at += rateHz / 50)
    digits += receiver.take(samples.subarray(at, at + rateHz / 50)) ?? '';
  return digits;
}

/** Tones of the keys, each with a pause of the same length, `offset` samples off the frames. */
function pressed(keys: string, rateHz: number, ticks: number, { offset = 0, gain = 1 } = {}): Int16Array {
  const tone = new DtmfTone(rateHz);
  const frame = rateHz / 50;
  const out = new Int16Array(keys.length * 2 * ticks * frame + frame + offset);
  for (const [i, key] of [...keys].entries())
    for (let tick = 0; tick < ticks; tick++)
      out.set(
        tone.frame(KEYS.indexOf(key), tick).map((sample) => Math.round(sample * gain)),
        offset + (2 * i * ticks + tick) * frame,
      );
  return out;
}

describe('keys as tones', () => {
  it.each([8_000, 16_000, 48_000])('are heard at %i Hz, once each', (rateHz) => {
    for (const offset of [0, rateHz / 200, rateHz / 70]) {
      const options = { offset: Math.floor(offset) };
      expect(digitsIn(pressed(KEYS, rateHz, 4, options), rateHz)).toBe(KEYS);
      expect(digitsIn(pressed('1100', rateHz, 3, options), rateHz)).toBe('1100');
    }
  });

  it('are heard down to -25 dBm0, and not when they are much softer', () => {
    expect(digitsIn(pressed(KEYS, 8_000, 5, { gain: 10 ** (-13 / 20) }), 8_000)).toBe(KEYS);
    expect(digitsIn(pressed(KEYS, 8_000, 5, { gain: 10 ** (-24 / 20) }), 8_000)).toBe('');
  });

  it.each(['slt', 'kal16'] as const)('are not heard in the speech of %s', (voice) => {
    for (const text of [...SENTENCES.slice(0, 3), ...NUMBERS.slice(0, 3)])
      expect(digitsIn(speech(text, 8_000, voice), 8_000)).toBe('');
  });

  async function call(dtmfPayloadType: number | null): Promise<string> {
    const peer = closing(await RtpPeer.start());
    const test = await TestLeg.open();
    closing(test.leg);
    test.configure(peer, { dtmfPayloadType });
    const samples = pressed('1', 8_000, 5);
    for (let i = 0; i < 25; i++) {
      const at = i * 160;
      const frame = at + 160 <= samples.length ? samples.slice(at, at + 160) : new Int16Array(160);
      await peer.send(peer.build('PCMU', 0, frame), test.port);
      await until(() => test.leg.counters.packetsReceived > i, 'a packet');
      test.pull();
    }
    return test.events.map((event) => (event.type === 'dtmf' ? event.digit : '')).join('');
  }

  it('count on a call whose peer lists no events', async () => {
    expect(await call(null)).toBe('1');
  });

  it('do not count beside events', async () => {
    expect(await call(101)).toBe('');
  });
});
