import { afterEach, expect, it } from 'vitest';
import { OpusEncoder } from '../../../../../src/audio/opus.ts';
import { WasmOpus } from '../../../../../src/audio/opus-wasm.ts';
import type { MediaLeg } from '../../../../../src/media/media-leg.ts';
import { FaultyPath } from '../../../../fakes/discord/voice/udp-faults.ts';
import { startMediaClock } from '../../../../support/media-clock.ts';
import { retryAudio } from '../../../../support/stall-probe.ts';
import { Tone } from '../../../../support/tone.ts';
import { fitSine } from '../../../../support/tone-analysis.ts';
import { waitFor } from '../../../../support/wait-for.ts';
import { io, RtpPeer, TestLeg } from '../../../rtp/rtp-peer.ts';
import { OPUS, openVoiceLeg } from './voice-leg.ts';
import { CHANNEL, VoiceWorld } from './voice-world.ts';

const retry = retryAudio();

const ADA = '4001';
const RATE_HZ = 48_000;
const FRAME_SAMPLES = 960;
const TONE_HZ = 440;
const AMPLITUDE = 0.3;
const FRAMES = 50 * 20;
const SETTLING_FRAMES = 100;
const NETWORK = { seed: 11, loss: 0.05, jitterMs: 60, reordering: 0.05 };
const CLEAN_DB = 20;
/** Share of the frames by which two runs of the same leg differ on a busy machine. */
const TOLERANCE = 0.03;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Share of the frames that are not the tone, or much of it missing. */
class DamagedShare {
  readonly #leg: Pick<MediaLeg, 'voices'>;
  readonly #frame = new Int16Array(FRAME_SAMPLES);
  #frames = 0;
  #damaged = 0;

  constructor(leg: Pick<MediaLeg, 'voices'>) {
    this.#leg = leg;
  }

  tick(): void {
    const isHeard = this.#leg.voices
      .map((voice) => voice.pull(this.#frame) && this.#isClean())
      .includes(true);
    this.#frames++;
    if (this.#frames > SETTLING_FRAMES && !isHeard) this.#damaged++;
  }

  get share(): number {
    return this.#damaged / (this.#frames - SETTLING_FRAMES);
  }

  #isClean(): boolean {
    return fitSine(this.#frame, RATE_HZ, TONE_HZ).snrDb > CLEAN_DB;
  }
}

/** A voice channel of Discord in which Ada sings over the bad network. */
async function discordLeg(): Promise<MediaLeg> {
  const world = await VoiceWorld.start();
  closers.push(() => world.stop());
  const ada = world.voice.addPerson(CHANNEL, ADA, 'Ada');
  const { leg, close } = await openVoiceLeg(world);
  closers.push(close);
  world.voice.server.media.fault(null, NETWORK);
  ada.sing(TONE_HZ, AMPLITUDE);
  return leg;
}

/** A phone that sends the same over the same network. */
async function sipLeg(): Promise<MediaLeg> {
  const peer = await RtpPeer.start();
  const phone = await TestLeg.open(undefined, null, RATE_HZ);
  closers.push(
    () => peer.close(),
    () => phone.leg.close(),
  );
  phone.configure(peer, { codec: 'opus', payloadType: 120, dtmfClockRateHz: RATE_HZ, opus: OPUS.opus });
  const path = new FaultyPath(NETWORK);
  const encoder = new OpusEncoder(new WasmOpus(), RATE_HZ, {
    bitrateBps: 64_000,
    complexity: 5,
    lossPercent: 0,
    signal: 'voice',
  });
  const tone = new Tone(TONE_HZ, RATE_HZ, AMPLITUDE);
  const frame = new Int16Array(FRAME_SAMPLES);
  const bytes = new Uint8Array(1_275);
  const clock = startMediaClock((index) => {
    tone.fill(frame);
    const payload = Buffer.from(bytes.subarray(0, encoder.encode(frame, bytes, 0, bytes.length)));
    const packet = peer.buildRaw(120, payload, index * FRAME_SAMPLES);
    path.pass(() => void peer.send(packet, phone.port));
  });
  closers.push(
    () => clock.stop(),
    () => path.close(),
  );
  return phone.leg;
}

it('under loss, jitter and reordering a voice of Discord is damaged no more than a phone in Opus', {
  retry,
}, async () => {
  const [discord, sip] = [new DamagedShare(await discordLeg()), new DamagedShare(await sipLeg())];
  let ticks = 0;
  const clock = startMediaClock(() => {
    io.receive();
    discord.tick();
    sip.tick();
    ticks++;
  });
  closers.push(() => clock.stop());
  await waitFor('20 s', () => ticks >= FRAMES, 60_000);
  expect(discord.share).toBeLessThan(sip.share + TOLERANCE);
  expect(discord.share).toBeLessThan(0.2);
});
