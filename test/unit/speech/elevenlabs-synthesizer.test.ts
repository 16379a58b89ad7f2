import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Synthesizer } from '../../../src/speech/tts/synthesizer.ts';
import { elevenLabsTts } from '../../../src/speech/vendors/elevenlabs/elevenlabs-tts.ts';
import { OUT_OF_FUNDS, TOO_MANY } from '../../fakes/elevenlabs/elevenlabs-errors.ts';
import { alignTones } from '../../fakes/elevenlabs/tone-alignment.ts';
import { ElevenLabsTtsSocket } from '../../fakes/elevenlabs/tts-socket.ts';
import { waitFor } from '../../support/wait-for.ts';
import { RecordedSynthesis } from './recorded-synthesis.ts';
import { KEY, synthesizerClient, VendorWorld } from './vendor-world.ts';

const VOICE = 'bIHbv24MWmeRgasZH58o';

let world: VendorWorld<ElevenLabsTtsSocket, Synthesizer, RecordedSynthesis>;

beforeEach(async () => {
  world = await VendorWorld.start({
    vendor: (clock) => new ElevenLabsTtsSocket(KEY, clock),
    client: synthesizerClient(elevenLabsTts),
    recorded: new RecordedSynthesis(),
  });
});

afterEach(async () => {
  await world.stop();
  expect(world.vendor.openContexts).toBe(0);
});

function connect(options: object = {}, rateHz = 16_000, key = KEY): void {
  world.connect({ options: { voice: VOICE, ...options }, rateHz, key });
}

function say(utteranceId: string, text: string, isLast = true): void {
  world.client.speak({ utteranceId, text, isLast });
}

function spoken(utteranceId: string): string {
  return world.recorded.heard(utteranceId, world.client.format);
}

async function event(text: string): Promise<void> {
  await waitFor(text, () => world.recorded.events.includes(text));
}

async function received(count: number): Promise<void> {
  await waitFor(`${count} messages`, () => world.vendor.received.length >= count);
}

/** Lets the vendor send `count` chunks of audio. */
async function chunks(count: number): Promise<void> {
  for (let chunk = 0; chunk < count; chunk++) {
    world.clock.advance(world.vendor.paceMs);
    await world.vendor.settled();
  }
}

describe('ElevenLabsSynthesizer', () => {
  it('speaks pieces in order and reports the end after all audio', async () => {
    connect();
    say('1', 'Alpha bravo charlie.', false);
    await waitFor('the first piece', () => spoken('1') === 'alpha bravo charlie');
    expect(world.recorded.events).toEqual([]);
    say('1', 'Delta echo.');
    await event('ended 1');
    expect(spoken('1')).toBe('alpha bravo charlie delta echo');
    expect(world.vendor.openContexts).toBe(0);
    expect(world.vendor.offences).toEqual([]);
  });

  it.each([
    [8_000, { encoding: 'mulaw', sampleRateHz: 8_000 }],
    [48_000, { encoding: 's16le', sampleRateHz: 24_000 }],
  ])('chooses a format for a call of %i Hz', async (rateHz, format) => {
    connect({}, rateHz);
    say('1', 'Alpha bravo.');
    await event('ended 1');
    expect(world.client.format).toEqual(format);
    expect(spoken('1')).toBe('alpha bravo');
  });

  it('sends all options of a preset, each where ElevenLabs takes it', async () => {
    connect({
      model: 'eleven_flash_v2_5',
      language: 'en',
      stability: 0.3,
      similarity_boost: 0.8,
      style: 0.1,
      use_speaker_boost: false,
      speed: 1.1,
      apply_text_normalization: 'auto',
    });
    say('1', 'Alpha.');
    await event('ended 1');
    expect(world.vendor.upgrades[0]!.url).toContain('language_code=en');
    const { voice_settings } = JSON.parse(world.vendor.received[0]!) as { voice_settings: object };
    expect(voice_settings).toEqual({
      stability: 0.3,
      similarity_boost: 0.8,
      style: 0.1,
      use_speaker_boost: false,
      speed: 1.1,
    });
    expect(world.vendor.received.slice(1).join()).not.toContain('voice_settings');
    expect(world.vendor.offences).toEqual([]);
  });

  it('sends no language to a model that refuses one', async () => {
    connect({ model: 'eleven_multilingual_v2', language: 'fr' });
    say('1', 'Alpha.');
    await event('ended 1');
    expect(world.vendor.offences).toEqual([]);
  });

  for (const durations of ['charDurationsMs', 'charsDurationsMs'] as const)
    for (const from of ['message', 'utterance'] as const)
      it(`tells when characters are spoken: ${durations}, counted from the ${from}`, async () => {
        world.vendor.alignment = { durations, from };
        connect();
        const text = 'Alpha bravo charlie delta.';
        say('1', text);
        await event('ended 1');
        const parts = world.recorded.partsOf('1');
        const expected = alignTones(`${text} `);
        expect(parts.map((part) => part.text).join('')).toBe(expected.map(({ char }) => char).join(''));
        expect(parts.map(({ startMs }) => startMs)).toEqual(expected.map(({ startMs }) => startMs));
      });

  it('reports nothing of a cancelled utterance, whatever still comes, and speaks the next one', async () => {
    world.vendor.paceMs = 20;
    connect();
    say('1', 'Alpha bravo charlie delta.');
    await received(3);
    await chunks(2);
    const heard = world.recorded.audioBytes('1');
    const parts = world.recorded.partsOf('1').length;
    expect(heard).toBeGreaterThan(0);
    world.client.cancel('1');
    say('2', 'Echo foxtrot.');
    await received(6);
    await chunks(20);
    expect([world.recorded.audioBytes('1'), world.recorded.partsOf('1').length]).toEqual([heard, parts]);
    expect(world.recorded.events).toEqual(['ended 2']);
    expect(spoken('2')).toBe('echo foxtrot');
  });

  it('never has more contexts than ElevenLabs allows, however many utterances are cancelled', async () => {
    world.vendor.paceMs = 20;
    connect();
    for (let id = 1; id <= 12; id++) {
      say(`${id}`, 'Alpha bravo charlie.', false);
      await world.vendor.settled();
      await chunks(1);
      world.client.cancel(`${id}`);
    }
    say('last', 'Delta.');
    await waitFor('the last one', async () => {
      await chunks(1);
      return world.recorded.events.includes('ended last');
    });
    expect(world.recorded.events).toEqual(['ended last']);
    expect(spoken('last')).toBe('delta');
    expect(world.vendor.mostContexts).toBeLessThanOrEqual(5);
    expect(world.vendor.offences).toEqual([]);
  });

  it('keeps an unused connection alive, and an utterance that waits for its next piece', async () => {
    connect();
    await world.vendor.connected();
    for (let times = 1; times <= 20; times++) {
      world.clock.advance(10_000);
      await received(times);
      await world.vendor.settled();
    }
    say('1', 'Alpha.', false);
    await waitFor('the first piece', () => spoken('1') === 'alpha');
    const before = world.vendor.received.length;
    for (let times = 1; times <= 20; times++) {
      world.clock.advance(10_000);
      await received(before + times);
      await world.vendor.settled();
    }
    say('1', 'Bravo.');
    await event('ended 1');
    expect(spoken('1')).toBe('alpha bravo');
    expect(world.vendor.upgrades).toHaveLength(1);
    expect(world.vendor.offences).toEqual([]);
  });

  it('connects again when ElevenLabs closes for want of messages', async () => {
    world.vendor.deliver = () => 'send';
    connect();
    await world.vendor.connected();
    world.vendor.cutAll();
    await waitFor('another connection', () => {
      world.clock.advance(100);
      return world.vendor.upgrades.length === 2;
    });
    say('1', 'Alpha.');
    await event('ended 1');
    expect(world.recorded.events).toEqual(['ended 1']);
  });

  it('fails an utterance that was heard in part when the connection is cut, and speaks the next one', async () => {
    world.vendor.paceMs = 20;
    connect();
    say('1', 'Alpha bravo charlie.');
    say('2', 'Delta.');
    await received(3);
    await chunks(2);
    world.vendor.cutAll();
    await event('disconnected unreachable');
    world.clock.advance(500);
    await received(6);
    await chunks(20);
    expect(world.recorded.events).toEqual([
      'failed 1 unreachable',
      'disconnected unreachable',
      'reconnected',
      'ended 2',
    ]);
    expect(spoken('2')).toBe('delta');
  });

  it('speaks an utterance of which nothing was heard over the next connection', async () => {
    world.vendor.deliver = () => 'cut';
    connect();
    say('1', 'Alpha bravo.');
    await event('disconnected unreachable');
    world.vendor.deliver = () => 'send';
    world.clock.advance(500);
    await event('ended 1');
    expect(world.recorded.events).toEqual(['disconnected unreachable', 'reconnected', 'ended 1']);
    expect(spoken('1')).toBe('alpha bravo');
  });

  it.each([
    ['no money', OUT_OF_FUNDS, 'out_of_funds', 'quota_exceeded: This request exceeds your quota of 10000.'],
  ])('ends the session when ElevenLabs answers with %s', async (_name, refusal, kind, words) => {
    world.vendor.refusals.push(refusal);
    connect();
    await event(`failed null ${kind}`);
    expect(world.recorded.failures[0]!.fault.words).toBe(words);
    world.clock.advance(60_000);
    expect(world.vendor.upgrades).toHaveLength(1);
  });

  it('is told of a wrong key and of a wrong voice by the vendor', async () => {
    connect({}, 16_000, 'another key');
    await event('failed null bad_key');
    connect({ voice: 'nobody' });
    await event('failed null refused');
    expect(world.recorded.failures[1]!.fault.words).toBe(
      'voice_not_found: A voice with this id was not found.',
    );
  });

  it('tries again after 429, and then speaks', async () => {
    world.vendor.refusals.push(TOO_MANY);
    connect();
    say('1', 'Alpha.');
    await event('disconnected rate_limited');
    world.clock.advance(500);
    await event('ended 1');
    expect(world.recorded.events).toEqual(['disconnected rate_limited', 'reconnected', 'ended 1']);
  });

  it('ends the session by close_socket', async () => {
    connect();
    await world.vendor.connected();
    await world.client.close();
    await waitFor('the end', () => world.vendor.openSockets === 0);
    expect(world.vendor.received).toEqual(['{"close_socket":true}']);
    expect(world.recorded.events).toEqual([]);
  });
});
