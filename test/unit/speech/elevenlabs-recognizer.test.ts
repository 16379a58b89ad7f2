import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Recognizer } from '../../../src/speech/stt/recognizer.ts';
import { elevenLabsStt } from '../../../src/speech/vendors/elevenlabs/elevenlabs-stt.ts';
import { TOO_MANY } from '../../fakes/elevenlabs/elevenlabs-errors.ts';
import { ElevenLabsSttSocket } from '../../fakes/elevenlabs/stt-socket.ts';
import { waitFor } from '../../support/wait-for.ts';
import { RecordedRecognition } from './recorded-recognition.ts';
import { Speaker } from './speaker.ts';
import { KEY, recognizerClient, VendorWorld } from './vendor-world.ts';

const VAD = { commit_strategy: 'vad', vad_silence_threshold_secs: 0.5, vad_threshold: 0.4 };
const MANUAL = { ...VAD, commit_strategy: 'manual' };

let world: VendorWorld<ElevenLabsSttSocket, Recognizer, RecordedRecognition>;
let speaker: Speaker;

beforeEach(async () => {
  world = await VendorWorld.start({
    vendor: (clock) => new ElevenLabsSttSocket(KEY, clock),
    client: recognizerClient(elevenLabsStt),
    recorded: new RecordedRecognition(),
  });
});

afterEach(() => world.stop());

function connect(options: object, rateHz = 16_000, key = KEY): void {
  const recognizer = world.connect({ options: { ...options }, rateHz, key });
  speaker = new Speaker(recognizer, () => world.vendor.settled());
}

async function finals(count: number): Promise<void> {
  await waitFor(`${count} finals`, () => world.recorded.finals.length === count);
}

async function event(text: string): Promise<void> {
  await waitFor(text, () => world.recorded.events.includes(text));
}

describe('ElevenLabsRecognizer', () => {
  it('reports each commit once, with all that is known of it', async () => {
    connect(VAD);
    await world.vendor.connected();
    await speaker.say('alpha bravo charlie', 1_000);
    await speaker.say('delta', 1_000);
    await finals(2);
    expect(world.recorded.finals).toEqual([
      {
        text: 'alpha bravo charlie',
        startMs: 0,
        endMs: 800,
        confidence: expect.closeTo(Math.exp(-0.1)),
        language: 'en',
        speaker: null,
      },
      {
        text: 'delta',
        startMs: 1_900,
        endMs: 2_100,
        confidence: expect.closeTo(Math.exp(-0.1)),
        language: 'en',
        speaker: null,
      },
    ]);
    expect(world.recorded.interims.map(({ text }) => text)).toContain('alpha bravo');
    expect(world.vendor.offences).toEqual([]);
  });

  for (const times of ['if wanted', 'always', 'never'] as const)
    for (const first of ['plain', 'times'] as const)
      it(`reports each commit once when the one with times comes ${times}, and the one that comes first is ${first}`, async () => {
        world.vendor.commits = { times, first };
        connect(VAD);
        await world.vendor.connected();
        for (const text of ['alpha', 'alpha', 'bravo', 'alpha']) {
          await speaker.say(text, 700);
          world.clock.advance(600);
        }
        await finals(4);
        await world.vendor.settled();
        expect(world.recorded.texts).toEqual(['alpha', 'alpha', 'bravo', 'alpha']);
        expect(world.recorded.finals.every(({ startMs }) => (startMs === null) === (times === 'never'))).toBe(
          true,
        );
      });

  it.each([
    [8_000, { encoding: 'mulaw', sampleRateHz: 8_000 }],
    [48_000, { encoding: 's16le', sampleRateHz: 48_000 }],
  ])('chooses a format for a voice of %i Hz', async (rateHz, format) => {
    connect(VAD, rateHz);
    expect(world.client.format).toEqual(format);
    await world.vendor.connected();
    await speaker.say('alpha bravo', 1_000);
    await finals(1);
    expect(world.recorded.words).toBe('alpha bravo');
    expect(world.vendor.offences).toEqual([]);
  });

  it('sends all options of a preset', async () => {
    connect({
      ...VAD,
      model: 'scribe_v2_realtime',
      language: 'fr',
      keyterms: ['Hôtel du Nord', 'R&D'],
      no_verbatim: true,
    });
    await world.vendor.connected();
    expect(world.vendor.offences).toEqual([]);
    const query = new URL(world.vendor.upgrades[0]!.url, 'http://fake').searchParams;
    expect(query.getAll('keyterms')).toEqual(['Hôtel du Nord', 'R&D']);
    expect(Object.fromEntries(query)).toMatchObject({
      language_code: 'fr',
      vad_silence_threshold_secs: '0.5',
    });
  });

  it('commits when the voice pauses, but not less than ElevenLabs takes', async () => {
    connect(MANUAL);
    await world.vendor.connected();
    await speaker.say('alpha bravo', 100);
    expect(world.recorded.finals).toEqual([]);
    world.client.flush();
    world.client.flush();
    await finals(1);
    world.client.flush();
    await world.vendor.settled();
    expect(world.vendor.received.filter((text) => text.includes('"commit":true'))).toHaveLength(1);
    await speaker.say('charlie', 300);
    world.client.flush();
    await finals(2);
    expect(world.recorded.texts).toEqual(['alpha bravo', 'charlie']);
    expect(world.vendor.offences).toEqual([]);
  });

  it('lets ElevenLabs find the end of what was said when the voice pauses', async () => {
    connect(VAD);
    await world.vendor.connected();
    await speaker.say('alpha bravo', 100);
    world.client.flush();
    await finals(1);
    await speaker.say('charlie', 700);
    await finals(2);
    // The silence that was sent for the pause is no part of what was heard.
    expect(world.recorded.finals[1]).toMatchObject({ text: 'charlie', startMs: 700, endMs: 900 });
  });

  it('commits long speech by itself', async () => {
    connect(MANUAL);
    await world.vendor.connected();
    await speaker.say(Array.from({ length: 90 }, () => 'alpha').join(' '), 0);
    await finals(1);
    expect(world.recorded.finals[0]!.text).toMatch(/^alpha( alpha){80,}$/);
  });

  it('keeps an unused connection alive by silence', async () => {
    connect(VAD);
    await world.vendor.connected();
    for (let times = 1; times <= 10; times++) {
      world.clock.advance(5_000);
      await waitFor('silence', () => world.vendor.received.length === times);
      await world.vendor.settled();
    }
    await speaker.say('alpha', 700);
    await finals(1);
    expect(world.recorded.finals[0]).toMatchObject({ text: 'alpha', startMs: 0, endMs: 200 });
    expect(world.vendor.upgrades).toHaveLength(1);
  });

  it('keeps what is said while ElevenLabs cannot be reached', async () => {
    world.vendor.refusals.push(TOO_MANY);
    connect(VAD);
    await event('disconnected rate_limited');
    await speaker.say('alpha bravo charlie', 700);
    world.clock.advance(500);
    await finals(1);
    expect(world.recorded.words).toBe('alpha bravo charlie');
    expect(world.recorded.events).toEqual(['disconnected rate_limited', 'reconnected']);
  });

  it('reports what was understood of speech that is too long to be heard again', async () => {
    connect(VAD);
    await world.vendor.connected();
    const text = Array.from({ length: 30 }, () => 'alpha').join(' ');
    await speaker.say(text, 0);
    world.vendor.cutAll();
    await event('disconnected unreachable');
    world.clock.advance(500);
    await speaker.say('bravo', 700);
    await finals(2);
    expect(world.recorded.texts).toEqual([text, 'bravo']);
  });

  it('reports what was understood before the connection was lost when that can no longer be heard again', async () => {
    connect(VAD);
    await world.vendor.connected();
    await speaker.say('alpha bravo', 100);
    await waitFor('the words', () => world.recorded.interims.at(-1)?.text === 'alpha bravo');
    world.vendor.cutAll();
    await waitFor('the loss', () => world.recorded.events.includes('disconnected unreachable'));
    await speaker.say('', 6_000);
    expect(world.recorded.finals).toEqual([]);
    world.clock.advance(500);
    await finals(1);
    await speaker.say('charlie', 1_500);
    await finals(2);
    expect(world.recorded.texts).toEqual(['alpha bravo', 'charlie']);
  });

  it('reports the last words when it is closed', async () => {
    connect(VAD);
    await world.vendor.connected();
    await speaker.say('alpha bravo', 100);
    await world.client.close();
    expect(world.recorded.texts).toEqual(['alpha bravo']);
    expect(world.recorded.events).toEqual([]);
  });

  it('closes at once when nothing was said', async () => {
    connect(VAD);
    await world.vendor.connected();
    await world.client.close();
    expect(world.vendor.received.filter((text) => text.includes('"commit":true'))).toEqual([]);
  });

  it.each([
    ['auth_error', 'failed bad_key'],
    ['quota_exceeded', 'failed out_of_funds'],
    ['quota_exceeded_error', 'failed out_of_funds'],
    ['unaccepted_terms', 'failed refused'],
    ['input_error', 'failed refused'],
    ['invalid_request', 'failed refused'],
    ['chunk_size_exceeded', 'failed refused'],
    ['rate_limited', 'disconnected rate_limited'],
    ['resource_exhausted', 'disconnected rate_limited'],
    ['queue_overflow', 'disconnected rate_limited'],
    ['session_time_limit_exceeded', 'disconnected session_cap'],
    ['transcriber_error', 'disconnected unreachable'],
    ['error', 'disconnected unreachable'],
  ])('takes the error %s for: %s', async (type, expected) => {
    connect(VAD);
    await world.vendor.connected();
    world.vendor.failAll(type, 'Something is wrong.');
    await event(expected);
    const [fault] = [...world.recorded.failures, ...world.recorded.disconnections];
    expect(fault!.words).toBe(`${type}: Something is wrong.`);
  });

  it('ends the session after a wrong key, which ElevenLabs tells after the upgrade', async () => {
    connect(VAD, 16_000, 'another key');
    await event('failed bad_key');
    world.clock.advance(60_000);
    expect(world.vendor.upgrades).toHaveLength(1);
  });
});
