import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Recognizer } from '../../../../src/speech/stt/recognizer.ts';
import { cartesiaStt } from '../../../../src/speech/vendors/cartesia/cartesia-stt.ts';
import { CARTESIA_ERRORS } from '../../../fakes/cartesia/socket-errors.ts';
import { CartesiaStt } from '../../../fakes/cartesia/stt-socket.ts';
import { RecordedRecognition } from '../recorded-recognition.ts';
import { Speaker } from '../speaker.ts';
import { type ClientOptions, KEY, recognizerClient, VendorWorld } from '../vendor-world.ts';

const PAUSE_MS = 1_000;

let world: VendorWorld<CartesiaStt, Recognizer, RecordedRecognition>;

beforeEach(async () => {
  world = await VendorWorld.start({
    vendor: (clock) => new CartesiaStt(clock, KEY),
    client: recognizerClient(cartesiaStt),
    recorded: new RecordedRecognition(),
  });
});

afterEach(async () => {
  await world.stop();
  expect(world.vendor.offences).toEqual([]);
});

const WHISPER = { model: 'ink-whisper', language: 'de' };

const start = (options?: ClientOptions) => world.connect(options);
const speakerTo = (recognizer = start()) => new Speaker(recognizer, (chunkMs) => world.clock.pass(chunkMs));
const finals = (count: number) =>
  world.clock.until(`${count} finals`, () => world.recorded.finals.length === count);
const failure = () => world.clock.until('the failure', () => world.recorded.failures.length > 0);

describe('the Cartesia recognizer with ink-2', () => {
  it('reports each turn once, with the whole turn so far before', async () => {
    const speaker = speakerTo();
    await speaker.say('alpha bravo', PAUSE_MS);
    await speaker.say('charlie', PAUSE_MS);
    await finals(2);
    expect(world.recorded.texts).toEqual(['alpha bravo', 'charlie']);
    expect(world.recorded.interims.map(({ text }) => text)).toEqual([
      'alpha',
      'alpha bravo',
      'alpha bravo',
      'charlie',
      'charlie',
    ]);
    expect(world.recorded.events).toEqual(['turn started', 'turn ended', 'turn started', 'turn ended']);
    expect(world.recorded.finals[0]).toMatchObject({ startMs: null, endMs: null, speaker: null });
  });

  it('takes µ-law at 8 kHz, and sends only the parameters of the endpoint', async () => {
    const options = {
      language: 'en',
      keyterms: ['Zulu', 'new york'],
      turn_end_timeout_ms: 2_000,
      min_volume: 0.2,
    };
    await speakerTo(start({ options, rateHz: 8_000 })).say('delta', PAUSE_MS);
    await finals(1);
    expect(world.vendor.parameters).toEqual([
      {
        model: 'ink-2',
        encoding: 'pcm_mulaw',
        sample_rate: 8_000,
        turn_end_timeout_ms: 2_000,
        keyterms: ['Zulu', 'new york'],
      },
    ]);
  });

  it('sends silence when audio stops within a turn, which would otherwise never end', async () => {
    const recognizer = start();
    await speakerTo(recognizer).say('alpha', 0);
    await finals(1);
    expect(world.recorded.texts).toEqual(['alpha']);
  });

  it('sends no silence into audio that still waits for its turn', async () => {
    const words = 'alpha bravo charlie delta echo foxtrot golf hotel india juliett';
    await new Speaker(start(), async () => {}).say(words, PAUSE_MS);
    await finals(1);
    expect(world.recorded.texts).toEqual([words]);
  });

  it('sends silence when the voice has paused', async () => {
    const recognizer = start();
    const speaker = speakerTo(recognizer);
    await speaker.say('alpha', 200);
    recognizer.flush();
    await finals(1);
    expect(world.vendor.streams[0]?.heardMs).toBeGreaterThanOrEqual(1_500);
  });

  it('ends by its command and reports the last turn', async () => {
    const recognizer = start();
    await speakerTo(recognizer).say('alpha', 0);
    await world.clock.settled('close', recognizer.close(), 2_000);
    expect(world.recorded.texts).toEqual(['alpha']);
    expect(world.vendor.streams[0]?.commands).toEqual(['{"type":"close"}']);
    await world.clock.until('closed sockets', () => world.host.openSockets === 0);
  });

  it('reports a long turn as far as it is known when its audio is no longer there', async () => {
    const speaker = speakerTo();
    await speaker.say(Array<string>(24).fill('alpha').join(' '), 0);
    await world.clock.until(
      'the last word',
      () => world.recorded.interims.at(-1)?.text.split(' ').length === 24,
    );
    world.host.cutAll();
    await finals(1);
    await speaker.say('bravo', PAUSE_MS);
    await finals(2);
    expect(world.recorded.texts).toEqual([Array<string>(24).fill('alpha').join(' '), 'bravo']);
  });
});

describe('the Cartesia recognizer with ink-whisper', () => {
  it('asks for text when the voice has paused, in a bare word', async () => {
    const recognizer = start({ options: WHISPER });
    const speaker = speakerTo(recognizer);
    await speaker.say('alpha bravo', 300);
    recognizer.flush();
    await finals(1);
    expect(world.recorded.finals).toEqual([
      { text: 'alpha bravo', startMs: 0, endMs: 500, confidence: null, language: 'en', speaker: null },
    ]);
    expect(world.vendor.streams[0]?.commands).toEqual(['finalize']);
    expect(world.vendor.parameters[0]).toMatchObject({ model: 'ink-whisper', language: 'de' });
  });

  it('joins texts as they are, and reports what silence has settled', async () => {
    const speaker = speakerTo(start({ options: WHISPER }));
    await speaker.say('alpha', 750);
    await speaker.say('bravo', 2_500);
    await finals(1);
    expect(world.recorded.texts).toEqual(['alpha bravo']);
    expect(world.recorded.interims.map(({ text }) => text)).toEqual(['alpha', 'alpha bravo']);
  });

  it('measures by durations where words have no times', async () => {
    world.vendor.tellsWords = false;
    const recognizer = start({ options: WHISPER });
    const speaker = speakerTo(recognizer);
    await speaker.say('alpha', 300);
    recognizer.flush();
    await finals(1);
    world.host.cutAll();
    await speaker.say('bravo', 300);
    recognizer.flush();
    await finals(2);
    expect(world.recorded.texts).toEqual(['alpha', 'bravo']);
  });

  it('ends by a bare word and reports the last text', async () => {
    const recognizer = start({ options: WHISPER });
    await speakerTo(recognizer).say('alpha', 0);
    await world.clock.settled('close', recognizer.close(), 2_000);
    expect(world.recorded.texts).toEqual(['alpha']);
    expect(world.vendor.streams[0]?.commands).toEqual(['close']);
    await world.clock.until('closed sockets', () => world.host.openSockets === 0);
  });

  it('keeps the connection in a long silence', async () => {
    start({ options: WHISPER });
    await world.clock.until('silence', () => (world.vendor.streams[0]?.heardMs ?? 0) >= 100);
    expect(world.vendor.total).toBe(1);
  });
});

describe.each([
  ['ink-2', {}],
  ['ink-whisper', WHISPER],
])('the Cartesia recognizer with %s', (_model, options) => {
  it('reports a wrong key, without repeating it', async () => {
    const key = 'sk_car_WrongKey0123456789';
    start({ options, key });
    await failure();
    expect(world.recorded.failures).toEqual([
      { kind: 'bad_key', words: 'Unauthorized: Invalid API key [key]' },
    ]);
    expect(JSON.stringify(world.recorded)).not.toContain(key);
  });

  it.each([
    ['the account is out of funds', CARTESIA_ERRORS.outOfFunds, 'out_of_funds'],
    ['the model is gone', CARTESIA_ERRORS.modelGone, 'refused'],
  ])('ends the session when %s', async (_name, refusal, kind) => {
    world.vendor.faults.push({ refusal });
    start({ options });
    await failure();
    expect(world.recorded.failures).toMatchObject([{ kind }]);
    expect(world.recorded.failures[0]?.words).toContain(refusal.message);
    expect(world.vendor.total).toBe(0);
  });

  it.each([
    ['there are too many streams', { refusal: CARTESIA_ERRORS.tooMany }, 'rate_limited'],
    ['the server is down', { refusal: CARTESIA_ERRORS.down }, 'unreachable'],
    ['the server reports an error', { error: CARTESIA_ERRORS.down }, 'unreachable'],
  ])('connects again when %s, with what was said meanwhile', async (_name, fault, kind) => {
    world.vendor.faults.push(fault);
    const recognizer = start({ options });
    const speaker = speakerTo(recognizer);
    await speaker.say('alpha bravo', PAUSE_MS);
    recognizer.flush();
    await finals(1);
    expect(world.recorded.texts).toEqual(['alpha bravo']);
    expect(world.recorded.disconnections).toMatchObject([{ kind }]);
    expect(world.recorded.reconnections).toBe(1);
  });
});
