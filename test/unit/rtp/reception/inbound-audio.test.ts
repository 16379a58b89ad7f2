import { afterEach, describe, expect, it } from 'vitest';
import { encodeUlaw } from '../../../../src/audio/g711.ts';
import { newJitterCounters } from '../../../../src/audio/jitter-counters.ts';
import { G711Decoder } from '../../../../src/rtp/codecs/g711-codec.ts';
import { InboundAudio } from '../../../../src/rtp/reception/inbound-audio.ts';
import { RtpPacket, writeRtpHeader } from '../../../../src/rtp/rtp-packet.ts';
import { Tone } from '../../../support/tone.ts';

const FRAME = 160;
const SSRC = 7;

/** A tone that a peer sends in packets of 20 ms, and the listener's side. */
class Call {
  readonly audio = new InboundAudio(new G711Decoder('PCMU'), 8_000, newJitterCounters());
  readonly #tone = new Tone(410, 8_000, 0.7);
  readonly #heard: number[] = [];
  #sent = 0;
  #nowMs = 0;

  /** Lets `frames` of 20 ms pass; none of them is sent during a gap. */
  pass(frames: number, isSent: boolean): number[] {
    const from = this.#heard.length;
    for (let i = 0; i < frames; i++, this.#nowMs += 20) {
      const said = new Int16Array(FRAME);
      this.#tone.fill(said);
      if (isSent) this.#insert(said);
      this.#sent += 1;
      const frame = new Int16Array(FRAME);
      this.audio.pull(frame);
      this.#heard.push(...frame);
    }
    return this.#heard.slice(from);
  }

  /** Nothing arrives for `frames` of 20 ms, then all at once. */
  stall(frames: number): void {
    const held: Int16Array[] = [];
    for (let i = 0; i < frames; i++, this.#nowMs += 20) {
      const said = new Int16Array(FRAME);
      this.#tone.fill(said);
      held.push(said);
      this.audio.pull(new Int16Array(FRAME));
    }
    for (const said of held) {
      this.#insert(said);
      this.#sent += 1;
    }
  }

  #insert(samples: Int16Array): void {
    const bytes = new Uint8Array(12 + FRAME);
    const sent = this.#sent;
    const header = {
      payloadType: 0,
      marker: false,
      sequenceNumber: sent,
      timestamp: sent * FRAME,
      ssrc: SSRC,
    };
    writeRtpHeader(bytes, header);
    encodeUlaw(samples, FRAME, bytes, 12);
    const packet = new RtpPacket();
    packet.read(bytes, 0, bytes.length);
    this.audio.insertAudio(packet, this.#nowMs);
  }
}

function largestStep(samples: readonly number[]): number {
  return Math.max(...samples.map((sample, i) => Math.abs(sample - (samples[i - 1] ?? sample))));
}

describe('InboundAudio', () => {
  const calls: Call[] = [];
  const open = () => {
    const call = new Call();
    calls.push(call);
    return call;
  };
  afterEach(() => {
    for (const { audio } of calls.splice(0)) audio.close();
  });

  // By then the tone is at its loudest when the first packet returns.
  it.each([12, 15, 60])('fades the sound in after %i frames without packets', (frames) => {
    const call = open();
    call.pass(20, true);
    const steady = largestStep(call.pass(10, true));
    const silence = call.pass(frames, false);
    const back = call.pass(20, true);
    expect(silence.slice(-FRAME).every((sample) => sample === 0)).toBe(true);
    expect(Math.max(...back.slice(-FRAME))).toBeGreaterThan(20_000);
    expect(largestStep([...silence, ...back])).toBeLessThan(1.2 * steady);
  });

  it('plays the first sound of a call as it was sent', () => {
    const heard = open().pass(20, true);
    const start = heard.findIndex((sample) => sample !== 0);
    const said = new Int16Array(FRAME);
    new Tone(410, 8_000, 0.7).fill(said);
    const played = heard.slice(start - 1, start - 1 + FRAME);
    expect(played.every((sample, i) => Math.abs(sample - (said[i] ?? 0)) <= 700)).toBe(true);
  });

  it('plays all that a stall of 300 ms held back, at another pace, and is back within 20 ms after three seconds', () => {
    const call = open();
    call.pass(100, true);
    const { jitter } = call.audio;
    const beforeMs = jitter.delayMs;
    call.stall(15);
    expect(jitter.delayMs).toBeGreaterThan(beforeMs + 150);
    const { concealed } = jitter.counters;
    call.pass(150, true);
    expect(jitter.delayMs).toBeLessThanOrEqual(beforeMs + 20);
    expect(jitter.counters).toMatchObject({ lost: 0, late: 0, droppedForDepth: 0, concealed });
    expect(jitter.counters.shortenedMs).toBeGreaterThan(200);
  });

  it('adds nothing and leaves nothing out while packets come on time', () => {
    const call = open();
    call.pass(500, true);
    expect(call.audio.jitter.counters).toMatchObject({ shortenedMs: 0, lengthenedMs: 0, droppedForDepth: 0 });
  });
});
