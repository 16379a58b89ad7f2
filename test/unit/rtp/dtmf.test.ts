import { describe, expect, it } from 'vitest';
import { ToneDetector } from '../../fakes/ivr/tone-detector.ts';
import { Tone } from '../../support/tone.ts';
import { fitSine } from '../../support/tone-analysis.ts';
import { arrived, hear, pair, pushSilence } from './leg-pair.ts';
import type { RtpPeer, TestLeg } from './rtp-peer.ts';
import { until } from './rtp-peer.ts';

/** Sends one digit as a phone does: growing durations, then the end three times; `keeps` decides which arrive. */
async function press(peer: RtpPeer, test: TestLeg, event: number, keeps = (_packet: number) => true) {
  const start = peer.timestamp;
  let sent = arrived(test);
  for (let i = 0; i < 7; i++) {
    const isEnd = i >= 4;
    const durationSamples = Math.min(i + 1, 5) * 160;
    const payload = Buffer.from([
      event,
      (isEnd ? 0x80 : 0) | 10,
      durationSamples >> 8,
      durationSamples & 0xff,
    ]);
    const packet = peer.buildRaw(101, payload, start, i === 0);
    peer.timestamp = (peer.timestamp + 160) >>> 0;
    if (!keeps(i)) continue;
    await peer.send(packet, test.port);
    sent++;
  }
  await until(() => arrived(test) === sent, 'event packets');
}

function digits(test: TestLeg): string {
  return test.events.map((event) => (event.type === 'dtmf' ? event.digit : '')).join('');
}

describe('DTMF from the peer', () => {
  it('reports every digit once', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    for (let event = 0; event < 16; event++) await press(peer, test, event);
    expect(digits(test)).toBe('0123456789*#ABCD');
  });

  it.each([
    ['the start', (i: number) => i > 3],
    ['the end', (i: number) => i < 4],
    ['all but the last packet', (i: number) => i === 6],
  ])('is recognized from a single packet: %s is lost', async (_, keeps) => {
    const { peer, test } = await pair();
    test.configure(peer);
    await press(peer, test, 5, keeps);
    await press(peer, test, 5, keeps);
    expect(digits(test)).toBe('55');
  });

  it('ignores late packets of an earlier digit, events that are no keys, and broken payloads', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    const former = peer.timestamp;
    await press(peer, test, 1);
    await press(peer, test, 2);
    await peer.send(peer.buildRaw(101, Buffer.from([1, 0x8a, 3, 0x20]), former), test.port);
    await peer.send(peer.buildRaw(101, Buffer.from([7]), peer.timestamp), test.port);
    await until(() => arrived(test) === 16, 'the stray packets');
    await press(peer, test, 16);
    expect(digits(test)).toBe('12');
  });

  it('is one digit for a key held for ten seconds', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    const start = peer.timestamp;
    const segments = [
      [start, 0x20],
      [start, 0xffff],
      [start + 0xffff, 0x140],
    ] as const;
    for (const [timestamp, duration] of segments) {
      await peer.send(
        peer.buildRaw(101, Buffer.from([9, 10, duration >> 8, duration & 0xff]), timestamp),
        test.port,
      );
    }
    await until(() => arrived(test) === 3, 'three segments');
    expect(digits(test)).toBe('9');
  });

  it('leaves no gap in the audio around it', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    await hear(peer, test, 10);
    await press(peer, test, 3);
    await hear(peer, test, 10);
    expect(test.leg.counters.lost).toBe(0);
  });
});

describe('DTMF to the peer', () => {
  it('sends each digit for 100 ms with three end packets and a pause, in place of the audio', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    const done = test.leg.commands.dtmf('7#d');
    await pushSilence(test, 35);
    await done;
    await until(() => peer.packets.length === 35, '35 packets');
    const events = peer.packets.filter(({ payloadType }) => payloadType === 101);
    expect(events.map(({ payload }) => payload[0])).toEqual(
      [7, 11, 15].flatMap((event) => Array(7).fill(event)),
    );
    for (let digit = 0; digit < 3; digit++) {
      const own = events.slice(digit * 7, digit * 7 + 7);
      expect(own.map(({ payload }) => payload.readUInt16BE(2))).toEqual([160, 320, 480, 640, 800, 800, 800]);
      expect(own.map(({ payload }) => payload[1]! >> 7)).toEqual([0, 0, 0, 0, 1, 1, 1]);
      expect(own.map(({ marker }) => marker)).toEqual([true, ...Array(6).fill(false)]);
      expect(new Set(own.map(({ timestamp }) => timestamp)).size).toBe(1);
    }
    const starts = [0, 7, 14].map((i) => events[i]!.timestamp);
    expect((starts[1]! - starts[0]!) >>> 0).toBe(200 * 8);
    expect((starts[2]! - starts[1]!) >>> 0).toBe(200 * 8);
    const sequences = peer.packets.map(({ sequence }) => (sequence - peer.packets[0]!.sequence) & 0xffff);
    expect(sequences).toEqual(Array.from({ length: 35 }, (_, i) => i));
  });

  it('queues behind digits that are being sent, at most 64 in total', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    const order: string[] = [];
    const first = test.leg.commands.dtmf('1').then(() => order.push('first'));
    const second = test.leg.commands.dtmf('2').then(() => order.push('second'));
    await expect(test.leg.commands.dtmf('3'.repeat(63))).rejects.toThrow('64');
    await pushSilence(test, 20);
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
  });

  it('is refused when it is not possible', async () => {
    const { peer, test } = await pair();
    const send = (digits: string) => test.leg.commands.dtmf(digits);
    await expect(send('1')).rejects.toMatchObject({ code: 'call_not_active' });
    test.configure(peer, { dtmfPayloadType: null });
    await expect(send('1')).rejects.toMatchObject({ code: 'capability_missing' });
    test.configure(peer, { sending: false });
    await expect(send('1')).rejects.toMatchObject({ code: 'call_not_active' });
    test.configure(peer);
    await expect(send('')).rejects.toThrow('digits');
    await expect(send('12x')).rejects.toThrow('digits');
    const held = send('1');
    test.configure(peer, { sending: false });
    await expect(held).rejects.toMatchObject({ code: 'call_not_active' });
    test.configure(peer);
    const closed = send('1');
    test.leg.close();
    await expect(closed).rejects.toMatchObject({ code: 'call_not_active' });
  });

  it('has sent its digits when the call ends on the last one, but not those still queued', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    const [done, waiting] = ['12', '3'].map((digits) => test.leg.commands.dtmf(digits));
    // One digit of ten ticks, and the first packet of the next.
    await pushSilence(test, 11);
    test.leg.close();
    await expect(done).resolves.toBeUndefined();
    await expect(waiting).rejects.toMatchObject({ code: 'call_not_active' });
  });

  it('has not sent its digits when the call ends before the last one', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    const sent = test.leg.commands.dtmf('12');
    await pushSilence(test, 10);
    test.leg.close();
    await expect(sent).rejects.toMatchObject({ code: 'call_not_active' });
  });
});

describe('DTMF to a peer without telephone-event', () => {
  const KEYS = '0123456789*#ABCD';

  it('sounds in the audio, each key for 100 ms and a pause after it', async () => {
    const { peer, test } = await pair();
    test.configure(peer, { dtmfPayloadType: null });
    const done = test.leg.commands.press(KEYS);
    await pushSilence(test, 160);
    await done;
    await until(() => peer.packets.length === 160, '160 packets');
    const audio = peer.audio('PCMU', 0);
    let heard = '';
    const detector = new ToneDetector((digit) => {
      heard += digit;
    });
    detector.take(audio);
    expect(heard).toBe(KEYS);
    for (let key = 0; key < 16; key++) {
      const own = audio.subarray(key * 1_600, (key + 1) * 1_600);
      const isSilent = (frame: Int16Array) => frame.every((sample) => Math.abs(sample) <= 8);
      const silent = Array.from({ length: 10 }, (_, i) => isSilent(own.subarray(i * 160, (i + 1) * 160)));
      expect(silent).toEqual([...Array(5).fill(false), ...Array(5).fill(true)]);
    }
  });

  it('has the levels of a telephone, −11 and −9 dBm0, without breaks between the frames', async () => {
    const { peer, test } = await pair();
    test.configure(peer, { dtmfPayloadType: null });
    void test.leg.commands.press('5');
    await pushSilence(test, 10);
    await until(() => peer.packets.length === 10, '10 packets');
    const tone = peer.audio('PCMU', 0).subarray(0, 800);
    const [row, column] = [770, 1_336].map((hz) => fitSine(tone, 8_000, hz));
    const dbm0 = (amplitude: number) => 20 * Math.log10(amplitude / 32_767) + 3.17;
    expect(dbm0(row!.amplitude)).toBeCloseTo(-11, 0);
    expect(dbm0(column!.amplitude)).toBeCloseTo(-9, 0);
    const rest = tone.map((sample, i) => {
      const at = (hz: number, { amplitude, phaseRad }: { amplitude: number; phaseRad: number }) =>
        amplitude * Math.sin((2 * Math.PI * hz * i) / 8_000 + phaseRad);
      return sample - at(770, row!) - at(1_336, column!);
    });
    const power = (samples: Int16Array) => samples.reduce((sum, each) => sum + each * each, 0);
    expect(10 * Math.log10(power(tone) / power(rest))).toBeGreaterThan(25);
  });

  it('takes the place of what the agent says, which goes on in the pauses', async () => {
    const { peer, test } = await pair();
    test.configure(peer, { dtmfPayloadType: null });
    const speech = new Tone(300, 8_000, 0.4);
    void test.leg.commands.press('1');
    for (let i = 0; i < 10; i++) test.pushTone(speech);
    await until(() => peer.packets.length === 10, '10 packets');
    const audio = peer.audio('PCMU', 0);
    expect(fitSine(audio.subarray(0, 800), 8_000, 300).amplitude).toBeLessThan(100);
    expect(fitSine(audio.subarray(800), 8_000, 300).snrDb).toBeGreaterThan(30);
  });

  it('is refused by the command that wants events, and on hold', async () => {
    const { peer, test } = await pair();
    await expect(test.leg.commands.press('1')).rejects.toMatchObject({ code: 'call_not_active' });
    test.configure(peer, { dtmfPayloadType: null });
    await expect(test.leg.commands.dtmf('1')).rejects.toMatchObject({ code: 'capability_missing' });
    const pressed = test.leg.commands.press('1');
    test.configure(peer, { dtmfPayloadType: null, sending: false });
    await expect(pressed).rejects.toMatchObject({ code: 'call_not_active' });
  });

  it('presses by events where the peer takes them', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    void test.leg.commands.press('1');
    await pushSilence(test, 10);
    await until(() => peer.packets.length === 10, '10 packets');
    expect(peer.packets.filter(({ payloadType }) => payloadType === 101)).toHaveLength(7);
  });
});
