import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SpeechPreset } from '../../../src/speech/speech-preset.ts';
import { DeepgramRecognizer } from '../../../src/speech/stt/deepgram/deepgram-recognizer.ts';
import { FluxRecognizer } from '../../../src/speech/stt/deepgram/flux-recognizer.ts';
import type { Recognizer } from '../../../src/speech/stt/recognizer.ts';
import { BAD_KEY, deepgramRefusal, OUT_OF_FUNDS, TOO_MANY } from '../../fakes/deepgram/deepgram-errors.ts';
import { DeepgramSttSocket } from '../../fakes/deepgram/stt-socket.ts';
import { SpeechHost } from '../../fakes/speech-host.ts';
import { toneSpeech } from '../../fakes/tone-speech.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { waitFor, within } from '../../support/wait-for.ts';
import { RecordedRecognition } from './recorded-speech.ts';
import { Speaker } from './speaker.ts';

const KEY = 'dg_0123456789abcdef';
/** Bytes of a word, 160 ms at 16 kHz, for which there is no text yet. */
const BEFORE_TEXT = 5_120;
const DOWN = deepgramRefusal(503, 'UNAVAILABLE', 'upstream connect error');

let clock: ManualClock;
let fake: DeepgramSttSocket;
let host: SpeechHost;
let recorded: RecordedRecognition;
let recognizer: Recognizer;
let speaker: Speaker;

function connect(
  Client: new (...args: ConstructorParameters<typeof DeepgramRecognizer>) => Recognizer,
  options: object = {},
  rateHz = 16_000,
): void {
  const preset: SpeechPreset = { url: host.url, key: KEY, options: { ...options } };
  recognizer = new Client(preset, rateHz, { clock, random: () => 0 }, recorded);
  speaker = new Speaker(recognizer, () => fake.settled());
}

async function connected(): Promise<void> {
  await waitFor('the connection', () => fake.openSockets === 1);
  await fake.settled();
}

async function finals(count: number): Promise<void> {
  await waitFor(`${count} finals`, () => recorded.finals.length === count);
}

beforeEach(async () => {
  clock = new ManualClock();
  fake = new DeepgramSttSocket(KEY, clock);
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

describe('DeepgramRecognizer', () => {
  it('reports each end of speech once, with all that is known of it', async () => {
    connect(DeepgramRecognizer, { diarize: true });
    await connected();
    await speaker.say('alpha bravo charlie delta echo', 1_500);
    await speaker.say('golf india', 1_500);
    await finals(2);
    expect(recorded.texts).toEqual(['alpha bravo charlie delta echo', 'golf india']);
    expect(recorded.finals[0]).toEqual({
      text: 'alpha bravo charlie delta echo',
      startMs: 0,
      endMs: 1_400,
      confidence: expect.closeTo(0.9),
      language: 'en',
      speaker: '0',
    });
    expect(recorded.finals[1]).toMatchObject({ startMs: 3_000, endMs: 3_500 });
    expect(fake.offences).toEqual([]);
  });

  it('reports what is understood while it is said', async () => {
    connect(DeepgramRecognizer);
    await connected();
    await speaker.say('alpha bravo charlie delta', 80);
    expect(recorded.interims.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['alpha', 'alpha bravo', 'alpha bravo charlie', 'alpha bravo charlie delta']),
    );
    expect(recorded.finals).toEqual([]);
  });

  it.each([
    [8_000, { encoding: 'mulaw', sampleRateHz: 8_000 }],
    [22_050, { encoding: 's16le', sampleRateHz: 24_000 }],
    [48_000, { encoding: 's16le', sampleRateHz: 48_000 }],
  ])('chooses a format for a voice of %i Hz', async (rateHz, format) => {
    connect(DeepgramRecognizer, {}, rateHz);
    expect(recognizer.format).toEqual(format);
    await connected();
    await speaker.say('alpha bravo', 1_500);
    await finals(1);
    expect(recorded.words).toBe('alpha bravo');
    expect(fake.offences).toEqual([]);
  });

  it('sends all options of a preset', async () => {
    connect(DeepgramRecognizer, {
      model: 'nova-3-medical',
      language: 'fr',
      smart_format: false,
      punctuate: true,
      numerals: true,
      profanity_filter: true,
      diarize: true,
      endpointing: 500,
      utterance_end_ms: 2_000,
      keyterms: ['Hôtel du Nord', 'R&D'],
      redact: ['pci', 'numbers'],
      mip_opt_out: true,
    });
    await connected();
    expect(fake.offences).toEqual([]);
    const query = new URL(fake.upgrades[0]!.url, 'http://fake').searchParams;
    expect(query.getAll('keyterm')).toEqual(['Hôtel du Nord', 'R&D']);
    expect(query.getAll('redact')).toEqual(['pci', 'numbers']);
    expect(Object.fromEntries(query)).toMatchObject({
      smart_format: 'false',
      endpointing: '500',
      language: 'fr',
    });
  });

  it('names the key terms of older models as they want it', async () => {
    connect(DeepgramRecognizer, { model: 'nova-2', keyterms: ['alpha'] });
    await connected();
    expect(fake.upgrades[0]!.url).toContain('keywords=alpha');
    expect(fake.offences).toEqual([]);
  });

  it('asks for the result when the voice pauses', async () => {
    connect(DeepgramRecognizer);
    await connected();
    await speaker.say('alpha bravo', 40);
    expect(recorded.finals).toEqual([]);
    recognizer.flush();
    await finals(1);
    recognizer.flush();
    await waitFor('both', () => fake.received.length === 2);
    await fake.settled();
    expect(recorded.texts).toEqual(['alpha bravo']);
  });

  it('keeps an unused connection alive, even before the first audio', async () => {
    connect(DeepgramRecognizer);
    await connected();
    for (let times = 1; times <= 15; times++) {
      clock.advance(4_000);
      await waitFor('a keep-alive', () => fake.received.length === times);
    }
    await speaker.say('alpha', 1_500);
    await finals(1);
    // Silence that nobody said came first.
    expect(recorded.finals[0]).toMatchObject({ text: 'alpha', startMs: 0, endMs: 200 });
    expect(fake.upgrades).toHaveLength(1);
    expect(fake.offences).toEqual([]);
  });

  it('keeps what is said while Deepgram cannot be reached', async () => {
    fake.refusals.push(DOWN);
    connect(DeepgramRecognizer);
    await waitFor('the refusal', () => recorded.events.length === 1);
    await speaker.say('alpha bravo charlie', 1_500);
    clock.advance(500);
    await finals(1);
    expect(recorded.words).toBe('alpha bravo charlie');
    expect(recorded.events).toEqual(['disconnected unreachable', 'reconnected']);
  });

  it('keeps the last 5 s of it', async () => {
    fake.refusals.push(DOWN);
    connect(DeepgramRecognizer);
    await waitFor('the refusal', () => recorded.events.length === 1);
    await speaker.say('alpha bravo', 1_400);
    await speaker.say('charlie delta', 3_900);
    clock.advance(500);
    await finals(1);
    expect(recorded.finals[0]).toMatchObject({ text: 'charlie delta', startMs: 2_000, endMs: 2_500 });
  });

  it('reports what was understood before the connection was lost when that can no longer be heard again', async () => {
    connect(DeepgramRecognizer);
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

  it('asks again for the result when the connection is lost in a pause', async () => {
    connect(DeepgramRecognizer);
    await connected();
    await speaker.say('alpha bravo', 40);
    fake.deliver = () => 'cut';
    recognizer.flush();
    await waitFor('the loss', () => recorded.events.length === 1);
    fake.deliver = () => 'send';
    clock.advance(500);
    await finals(1);
    expect(recorded.words).toBe('alpha bravo');
  });

  it('reports the last words when it is closed', async () => {
    connect(DeepgramRecognizer);
    await connected();
    await speaker.say('alpha bravo', 40);
    await recognizer.close();
    expect(recorded.texts).toEqual(['alpha bravo']);
    expect(fake.received.at(-1)).toBe('{"type":"CloseStream"}');
    expect(recorded.events).toEqual([]);
  });

  it('reports what was understood when Deepgram does not answer the end', async () => {
    connect(DeepgramRecognizer);
    await connected();
    await speaker.say('alpha bravo', 40);
    fake.deliver = () => 'drop';
    await recognizer.close();
    expect(recorded.texts).toEqual(['alpha bravo']);
  });

  it.each([
    ['a wrong key', BAD_KEY, 'failed bad_key'],
    ['no money', OUT_OF_FUNDS, 'failed out_of_funds'],
    ['too many requests', TOO_MANY, 'disconnected rate_limited'],
  ])('tells when Deepgram answers with %s', async (_name, refusal, event) => {
    fake.refusals.push(refusal);
    connect(DeepgramRecognizer);
    await waitFor(event, () => recorded.events.includes(event));
  });
});

describe('FluxRecognizer', () => {
  it('reports turns, and what was said in each', async () => {
    connect(FluxRecognizer, { model: 'flux-general-multi', language: 'en' });
    await connected();
    await speaker.say('alpha bravo charlie delta', 1_000);
    await speaker.say('echo', 1_000);
    await finals(2);
    expect(recorded.texts).toEqual(['alpha bravo charlie delta', 'echo']);
    expect(recorded.finals[0]).toEqual({
      text: 'alpha bravo charlie delta',
      startMs: 0,
      endMs: 1_100,
      confidence: expect.closeTo(0.8),
      language: 'en',
      speaker: null,
    });
    expect(recorded.events).toEqual(['turn started', 'turn ended', 'turn started', 'turn ended']);
    expect(recorded.interims.map(({ text }) => text)).toContain('alpha bravo');
    expect(fake.offences).toEqual([]);
  });

  it('sends all options of a preset that Flux takes', async () => {
    connect(FluxRecognizer, {
      model: 'flux-general-en',
      language: 'en',
      smart_format: true,
      punctuate: true,
      numerals: true,
      profanity_filter: true,
      diarize: true,
      endpointing: 500,
      eot_threshold: 0.8,
      eot_timeout_ms: 4_000,
      keyterms: ['alpha'],
      redact: ['pci', 'numbers'],
      mip_opt_out: true,
    });
    await connected();
    expect(fake.offences).toEqual([]);
    expect(fake.upgrades[0]!.url).toMatch(/^\/v2\/listen\?.*eot_threshold=0\.8/);
    expect(fake.upgrades[0]!.url).toContain('redact=numbers');
  });

  it('keeps an unused connection alive by silence, and ends a turn by it', async () => {
    connect(FluxRecognizer);
    await connected();
    for (let times = 1; times <= 10; times++) {
      clock.advance(4_000);
      await fake.settled();
    }
    await speaker.say('alpha bravo', 80);
    recognizer.flush();
    await finals(1);
    expect(recorded.finals[0]).toMatchObject({ text: 'alpha bravo', startMs: 0, endMs: 500 });
    expect(fake.received).toEqual([]);
    expect(fake.upgrades).toHaveLength(1);
  });

  it('reports what was understood before the connection was lost when that can no longer be heard again', async () => {
    connect(FluxRecognizer);
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

  it('ends a turn that is cut before it has text, and starts it again when it is heard again', async () => {
    connect(FluxRecognizer);
    await connected();
    const audio = toneSpeech('alpha', recognizer.format);
    recognizer.hear(audio.slice(0, BEFORE_TEXT));
    await waitFor('the turn', () => recorded.events.includes('turn started'));
    fake.cutAll();
    await waitFor('the end', () => recorded.events.includes('disconnected unreachable'));
    expect(recorded.events).toEqual(['turn started', 'turn ended', 'disconnected unreachable']);
    clock.advance(500);
    await waitFor('the turn', () => recorded.events.at(-1) === 'turn started');
    recognizer.hear(audio.slice(BEFORE_TEXT));
    await speaker.say('', 1_500);
    await finals(1);
    expect(recorded.texts).toEqual(['alpha']);
    expect(recorded.events.slice(3)).toEqual(['reconnected', 'turn started', 'turn ended']);
  });

  it('ends a turn that has no text and whose audio is no longer there', async () => {
    connect(FluxRecognizer);
    await connected();
    recognizer.hear(toneSpeech('alpha', recognizer.format).slice(0, BEFORE_TEXT));
    await waitFor('the turn', () => recorded.events.includes('turn started'));
    fake.cutAll();
    await waitFor('the loss', () => recorded.events.includes('disconnected unreachable'));
    await speaker.say('', 6_000);
    clock.advance(500);
    await waitFor('a connection', () => recorded.events.includes('reconnected'));
    await fake.settled();
    expect(recorded.events.filter((event) => event.startsWith('turn'))).toEqual([
      'turn started',
      'turn ended',
    ]);
    expect(recorded.finals).toEqual([]);
  });

  it('reports the last words when it is closed', async () => {
    connect(FluxRecognizer);
    await connected();
    await speaker.say('alpha bravo', 80);
    await recognizer.close();
    expect(recorded.texts).toEqual(['alpha bravo']);
    expect(recorded.events).toEqual(['turn started', 'turn ended']);
  });
});
