import { expect, it } from 'vitest';
import { OpusDecoder } from '../../../src/audio/opus.ts';
import { WasmOpus } from '../../../src/audio/opus-wasm.ts';
import { frameSamples } from '../../../src/base/frame.ts';
import { Mixer, type Party } from '../../../src/engine/mixer.ts';
import { OpusEgress } from '../../../src/engine/opus-egress.ts';
import { voiceCodecsFor } from '../../../src/rtp/open-rtp-leg.ts';
import { Downlink } from '../../../src/threads/downlink.ts';
import { tone } from '../../support/tone.ts';
import { analyzeTone } from '../../support/tone-analysis.ts';

const TICKS = 100;

/** Speaks a tone, or nothing. */
class Speaker implements Party {
  isSilent = false;
  readonly #rateHz: number;
  readonly #toneHz: number;
  #frames = 0;

  constructor(rateHz: number, toneHz: number) {
    this.#rateHz = rateHz;
    this.#toneHz = toneHz;
  }

  pull(frame: Int16Array): boolean {
    const fromSample = this.#frames++ * frame.length;
    frame.set(tone(this.#toneHz, this.#rateHz, frame.length, { fromSample }));
    return !this.isSilent;
  }

  push(): void {}
}

/** A platform that sends packets of Opus; some ticks have none, others have several. */
class OpusPlatform implements Party {
  readonly sent: Uint8Array[] = [];
  readonly #codecs: Codecs;
  readonly #encoder;
  readonly #decoder;
  readonly #voice: Speaker;
  readonly #rateHz: number;
  perTick = 1;

  constructor(codecs: Codecs, rateHz: number) {
    this.#codecs = codecs;
    this.#rateHz = rateHz;
    this.#encoder = codecs.encoder('opus', rateHz);
    this.#decoder = codecs.decoder('opus', rateHz);
    this.#voice = new Speaker(rateHz, 440);
  }

  pull(frame: Int16Array): boolean {
    this.#codecs.passed.begin(true);
    for (let n = 0; n < this.perTick; n++) this.#receive(frame);
    return true;
  }

  #receive(frame: Int16Array): void {
    const bytes = new Uint8Array(1_500);
    this.#voice.pull(frame);
    const packet = bytes.slice(0, this.#encoder.encode(frame, true, bytes, 0));
    this.sent.push(packet);
    const payload = { bytes: packet, payloadOffset: 0, payloadLength: packet.length };
    this.#decoder.decode(payload, frame, 0, frameSamples(this.#rateHz));
  }

  lose(frame: Int16Array): void {
    this.#codecs.passed.begin(true);
    this.#decoder.conceal(
      { bytes: new Uint8Array(0), payloadOffset: 0, payloadLength: 0 },
      frame,
      0,
      frame.length,
    );
  }

  push(): void {}
}

type Codecs = ReturnType<typeof voiceCodecsFor>;

function listener(codecs: Codecs, roomRateHz: number) {
  const downlink = new Downlink(roomRateHz, 'opus');
  const egress = new OpusEgress(downlink, roomRateHz, codecs);
  const heard: Uint8Array[] = [];
  const reader = {
    frame: (packet: Uint8Array) => heard.push(packet.slice()) > 0,
    cork: (give: () => void) => give(),
    overrun() {},
  };
  const party: Party = {
    pull: () => false,
    push(frame, voiced, speaker) {
      egress.push(frame, voiced, speaker);
      downlink.drain(reader);
    },
  };
  return { party, heard, egress };
}

function decoded(packets: readonly Uint8Array[], rateHz: 16_000 | 48_000): Int16Array {
  const decoder = new OpusDecoder(new WasmOpus(), rateHz);
  const frame = frameSamples(rateHz);
  const samples = new Int16Array(packets.length * frame);
  packets.forEach((bytes, index) => {
    const payload = { bytes, payloadOffset: 0, payloadLength: bytes.length };
    expect(decoder.decode(payload, samples, index * frame, frame)).toBe(frame);
  });
  return samples;
}

it.each([8_000, 16_000, 24_000, 48_000])('encodes a room at %i Hz, a packet per tick', (rateHz) => {
  const { party, heard } = listener(voiceCodecsFor('portable'), rateHz);
  const mixer = new Mixer(frameSamples(rateHz));
  for (let tick = 0; tick < TICKS; tick++) mixer.mix([new Speaker(rateHz, 0), new Speaker(rateHz, 0), party]);
  expect(heard).toHaveLength(TICKS);
  heard.length = 0;
  const speakers = [new Speaker(rateHz, 440), new Speaker(rateHz, 0)];
  for (let tick = 0; tick < TICKS; tick++) mixer.mix([...speakers, party]);
  expect(analyzeTone(decoded(heard, 48_000), 48_000, 440).snrDb).toBeGreaterThan(15);
});

it('needs a byte per tick for silence', () => {
  const { party, heard } = listener(voiceCodecsFor('portable'), 16_000);
  const mixer = new Mixer(frameSamples(16_000));
  for (let tick = 0; tick < TICKS; tick++) mixer.mix([party]);
  expect(heard.slice(10).every(({ length }) => length === 1)).toBe(true);
});

it.each([1, 2])(
  'passes the packets of a platform that alone speaks, %i per tick, as they came',
  (perTick) => {
    const codecs = voiceCodecsFor('portable');
    const { party, heard } = listener(codecs, 48_000);
    const platform = new OpusPlatform(codecs, 48_000);
    const other = new Speaker(48_000, 700);
    other.isSilent = true;
    platform.perTick = perTick;
    const mixer = new Mixer(frameSamples(48_000));
    for (let tick = 0; tick < TICKS; tick++) mixer.mix([platform, party, other]);
    expect(heard).toEqual(platform.sent);
  },
);

it('encodes while somebody else speaks too, and passes packets on again afterwards', () => {
  const codecs = voiceCodecsFor('portable');
  const { party, heard } = listener(codecs, 48_000);
  const platform = new OpusPlatform(codecs, 48_000);
  const other = new Speaker(48_000, 700);
  const mixer = new Mixer(frameSamples(48_000));
  for (let tick = 0; tick < 3 * TICKS; tick++) {
    other.isSilent = Math.floor(tick / TICKS) !== 1;
    mixer.mix([platform, party, other]);
  }
  const part = (n: number) => [heard, platform.sent].map((all) => all.slice(n * TICKS, (n + 1) * TICKS));
  expect(part(0)[0]).toEqual(part(0)[1]);
  expect(part(1)[0]).not.toEqual(part(1)[1]);
  expect(part(2)[0]).toEqual(part(2)[1]);
  const mixed = decoded(heard, 48_000).subarray(TICKS * 960, 2 * TICKS * 960);
  expect(analyzeTone(mixed, 48_000, 700).amplitude).toBeGreaterThan(8_000);
  expect(analyzeTone(mixed, 48_000, 440).amplitude).toBeGreaterThan(8_000);
});

it('passes a byte for a packet that is missing, in whose place a decoder conceals', () => {
  const codecs = voiceCodecsFor('portable');
  const { heard, egress, party } = listener(codecs, 48_000);
  const platform = new OpusPlatform(codecs, 48_000);
  const frame = new Int16Array(960);
  for (let tick = 0; tick < TICKS; tick++) {
    if (tick % 10 === 9) platform.lose(frame);
    else platform.pull(frame);
    party.push(frame, true, 0);
  }
  expect(heard.filter(({ length }) => length === 1)).toHaveLength(TICKS / 10);
  expect(decoded(heard, 48_000)).toHaveLength(TICKS * 960);
  egress.close();
});
