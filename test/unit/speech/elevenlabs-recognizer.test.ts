import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ElevenLabsRecognizer } from '../../../src/speech/stt/elevenlabs/elevenlabs-recognizer.ts';
import { TOO_MANY } from '../../fakes/elevenlabs/elevenlabs-errors.ts';
import { ElevenLabsSttSocket } from '../../fakes/elevenlabs/stt-socket.ts';
import { SpeechHost } from '../../fakes/speech-host.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { waitFor, within } from '../../support/wait-for.ts';
import { RecordedRecognition } from './recorded-speech.ts';
import { Speaker } from './speaker.ts';

const KEY = 'xi_0123456789abcdef';
const VAD = { commit_strategy: 'vad', vad_silence_threshold_secs: 0.5, vad_threshold: 0.4 };
const MANUAL = { ...VAD, commit_strategy: 'manual' };

let clock: ManualClock;
let fake: ElevenLabsSttSocket;
let host: SpeechHost;
let recorded: RecordedRecognition;
let recognizer: ElevenLabsRecognizer;
let speaker: Speaker;

function connect(options: object, rateHz = 16_000, key = KEY): void {
  const preset = { url: host.url, key, options: { ...options } };
  recognizer = new ElevenLabsRecognizer(preset, rateHz, { clock, random: () => 0 }, recorded);
  speaker = new Speaker(recognizer, () => fake.settled());
}

async function connected(): Promise<void> {
  await waitFor('the connection', () => fake.openSockets === 1);
  await fake.settled();
}

async function finals(count: number): Promise<void> {
  await waitFor(`${count} finals`, () => recorded.finals.length === count);
}

async function event(text: string): Promise<void> {
  await waitFor(text, () => recorded.events.includes(text));
}

beforeEach(async () => {
  clock = new ManualClock();
  fake = new ElevenLabsSttSocket(KEY, clock);
  host = await SpeechHost.start(fake);
  recorded = new RecordedRecognition();
});

afterEach(async () => {
  const closed = recognizer.close();
  clock.advance(2_000);
  await within('the end', closed);
  await waitFor('the end', () => fake.openSockets === 0);
  expect(JSON.stringify([recorded.faults, fake.upgrades.map(({ url }) => url)])).not.toContain(KEY);
  await host.stop();
});

describe('ElevenLabsRecognizer', () => {
  it('reports each commit once, with all that is known of it', async () => {
    connect(VAD);
    await connected();
    await speaker.say('alpha bravo charlie', 1_000);
    await speaker.say('delta', 1_000);
    await finals(2);
    expect(recorded.finals).toEqual([
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
    expect(recorded.interims.map(({ text }) => text)).toContain('alpha bravo');
    expect(fake.offences).toEqual([]);
  });

  for (const times of ['if wanted', 'always', 'never'] as const)
    for (const first of ['plain', 'times'] as const)
      it(`reports each commit once when the one with times comes ${times}, and the one that comes first is ${first}`, async () => {
        fake.commits = { times, first };
        connect(VAD);
        await connected();
        for (const text of ['alpha', 'alpha', 'bravo', 'alpha']) {
          await speaker.say(text, 700);
          clock.advance(600);
        }
        await finals(4);
        await fake.settled();
        expect(recorded.texts).toEqual(['alpha', 'alpha', 'bravo', 'alpha']);
        expect(recorded.finals.every(({ startMs }) => (startMs === null) === (times === 'never'))).toBe(true);
      });

  it.each([
    [8_000, { encoding: 'mulaw', sampleRateHz: 8_000 }],
    [48_000, { encoding: 's16le', sampleRateHz: 48_000 }],
  ])('chooses a format for a voice of %i Hz', async (rateHz, format) => {
    connect(VAD, rateHz);
    expect(recognizer.format).toEqual(format);
    await connected();
    await speaker.say('alpha bravo', 1_000);
    await finals(1);
    expect(recorded.words).toBe('alpha bravo');
    expect(fake.offences).toEqual([]);
  });

  it('sends all options of a preset', async () => {
    connect({
      ...VAD,
      model: 'scribe_v2_realtime',
      language: 'fr',
      keyterms: ['Hôtel du Nord', 'R&D'],
      no_verbatim: true,
    });
    await connected();
    expect(fake.offences).toEqual([]);
    const query = new URL(fake.upgrades[0]!.url, 'http://fake').searchParams;
    expect(query.getAll('keyterms')).toEqual(['Hôtel du Nord', 'R&D']);
    expect(Object.fromEntries(query)).toMatchObject({
      language_code: 'fr',
      vad_silence_threshold_secs: '0.5',
    });
  });

  it('commits when the voice pauses, but not less than ElevenLabs takes', async () => {
    connect(MANUAL);
    await connected();
    await speaker.say('alpha bravo', 100);
    expect(recorded.finals).toEqual([]);
    recognizer.flush();
    recognizer.flush();
    await finals(1);
    recognizer.flush();
    await fake.settled();
    expect(fake.received.filter((text) => text.includes('"commit":true'))).toHaveLength(1);
    await speaker.say('charlie', 300);
    recognizer.flush();
    await finals(2);
    expect(recorded.texts).toEqual(['alpha bravo', 'charlie']);
    expect(fake.offences).toEqual([]);
  });

  it('lets ElevenLabs find the end of what was said when the voice pauses', async () => {
    connect(VAD);
    await connected();
    await speaker.say('alpha bravo', 100);
    recognizer.flush();
    await finals(1);
    await speaker.say('charlie', 700);
    await finals(2);
    // The silence that was sent for the pause is no part of what was heard.
    expect(recorded.finals[1]).toMatchObject({ text: 'charlie', startMs: 700, endMs: 900 });
  });

  it('commits long speech by itself', async () => {
    connect(MANUAL);
    await connected();
    await speaker.say(Array.from({ length: 90 }, () => 'alpha').join(' '), 0);
    await finals(1);
    expect(recorded.finals[0]!.text).toMatch(/^alpha( alpha){80,}$/);
  });

  it('keeps an unused connection alive by silence', async () => {
    connect(VAD);
    await connected();
    for (let times = 1; times <= 10; times++) {
      clock.advance(5_000);
      await waitFor('silence', () => fake.received.length === times);
      await fake.settled();
    }
    await speaker.say('alpha', 700);
    await finals(1);
    expect(recorded.finals[0]).toMatchObject({ text: 'alpha', startMs: 0, endMs: 200 });
    expect(fake.upgrades).toHaveLength(1);
  });

  it('keeps what is said while ElevenLabs cannot be reached', async () => {
    fake.refusals.push(TOO_MANY);
    connect(VAD);
    await event('disconnected rate_limited');
    await speaker.say('alpha bravo charlie', 700);
    clock.advance(500);
    await finals(1);
    expect(recorded.words).toBe('alpha bravo charlie');
    expect(recorded.events).toEqual(['disconnected rate_limited', 'reconnected']);
  });

  it('reports what was understood of speech that is too long to be heard again', async () => {
    connect(VAD);
    await connected();
    const text = Array.from({ length: 30 }, () => 'alpha').join(' ');
    await speaker.say(text, 0);
    fake.cutAll();
    await event('disconnected unreachable');
    clock.advance(500);
    await speaker.say('bravo', 700);
    await finals(2);
    expect(recorded.texts).toEqual([text, 'bravo']);
  });

  it('reports what was understood before the connection was lost when that can no longer be heard again', async () => {
    connect(VAD);
    await connected();
    await speaker.say('alpha bravo', 100);
    await waitFor('the words', () => recorded.interims.at(-1)?.text === 'alpha bravo');
    fake.cutAll();
    await waitFor('the loss', () => recorded.events.includes('disconnected unreachable'));
    await speaker.say('', 6_000);
    expect(recorded.finals).toEqual([]);
    clock.advance(500);
    await finals(1);
    await speaker.say('charlie', 1_500);
    await finals(2);
    expect(recorded.texts).toEqual(['alpha bravo', 'charlie']);
  });

  it('reports the last words when it is closed', async () => {
    connect(VAD);
    await connected();
    await speaker.say('alpha bravo', 100);
    await recognizer.close();
    expect(recorded.texts).toEqual(['alpha bravo']);
    expect(recorded.events).toEqual([]);
  });

  it('closes at once when nothing was said', async () => {
    connect(VAD);
    await connected();
    await recognizer.close();
    expect(fake.received.filter((text) => text.includes('"commit":true'))).toEqual([]);
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
    await connected();
    fake.failAll(type, 'Something is wrong.');
    await event(expected);
    expect(recorded.faults[0]!.words).toBe(`${type}: Something is wrong.`);
  });

  it('ends the session after a wrong key, which ElevenLabs tells after the upgrade', async () => {
    connect(VAD, 16_000, 'another key');
    await event('failed bad_key');
    clock.advance(60_000);
    expect(fake.upgrades).toHaveLength(1);
  });
});
