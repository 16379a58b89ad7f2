import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newCartesiaRecognizer } from '../../../../src/speech/stt/cartesia/cartesia-recognizer.ts';
import type { Recognizer } from '../../../../src/speech/stt/recognizer.ts';
import { CARTESIA_ERRORS } from '../../../fakes/cartesia/socket-errors.ts';
import { CartesiaStt } from '../../../fakes/cartesia/stt-socket.ts';
import { SpeechHost } from '../../../fakes/speech-host.ts';
import { SocketClock } from '../../../support/socket-clock.ts';
import { RecordedRecognition } from '../recorded-recognition.ts';
import { Speaker } from './speaker.ts';

const PAUSE_MS = 1_000;

let vendor: CartesiaStt;
let host: SpeechHost;
let clock: SocketClock;
let recorded: RecordedRecognition;
const recognizers: Recognizer[] = [];

beforeEach(async () => {
  clock = new SocketClock();
  vendor = new CartesiaStt(clock);
  host = await SpeechHost.start(vendor);
  recorded = new RecordedRecognition();
});

afterEach(async () => {
  const closed = Promise.all(recognizers.splice(0).map((recognizer) => recognizer.close()));
  await clock.settled('the end', closed);
  await host.stop();
  expect(vendor.offences).toEqual([]);
});

interface Started {
  readonly options?: Readonly<Record<string, unknown>>;
  readonly key?: string;
  readonly rateHz?: number;
}

function start({ options = {}, key = vendor.key, rateHz = 16_000 }: Started = {}): Recognizer {
  const preset = { url: host.url, key, options };
  const recognizer = newCartesiaRecognizer(preset, rateHz, { clock, random: () => 0 }, recorded);
  recognizers.push(recognizer);
  return recognizer;
}

const WHISPER = { model: 'ink-whisper', language: 'de' };

const finals = (count: number) => clock.until(`${count} finals`, () => recorded.finals.length === count);
const failure = () => clock.until('the failure', () => recorded.failures.length > 0);

describe('the Cartesia recognizer with ink-2', () => {
  it('reports each turn once, with the whole turn so far before', async () => {
    const speaker = new Speaker(start(), clock);
    await speaker.say('alpha bravo', PAUSE_MS);
    await speaker.say('charlie', PAUSE_MS);
    await finals(2);
    expect(recorded.texts).toEqual(['alpha bravo', 'charlie']);
    expect(recorded.interims.map(({ text }) => text)).toEqual([
      'alpha',
      'alpha bravo',
      'alpha bravo',
      'charlie',
      'charlie',
    ]);
    expect(recorded.turns).toEqual(['started', 'ended', 'started', 'ended']);
    expect(recorded.finals[0]).toMatchObject({ startMs: null, endMs: null, speaker: null });
  });

  it('takes µ-law at 8 kHz, and sends only the parameters of the endpoint', async () => {
    const options = {
      language: 'en',
      keyterms: ['Zulu', 'new york'],
      turn_end_timeout_ms: 2_000,
      min_volume: 0.2,
    };
    await new Speaker(start({ options, rateHz: 8_000 }), clock).say('delta', PAUSE_MS);
    await finals(1);
    expect(vendor.parameters).toEqual([
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
    await new Speaker(recognizer, clock).say('alpha', 0);
    await finals(1);
    expect(recorded.texts).toEqual(['alpha']);
  });

  it('sends silence when the voice has paused', async () => {
    const recognizer = start();
    const speaker = new Speaker(recognizer, clock);
    await speaker.say('alpha', 200);
    recognizer.flush();
    await finals(1);
    expect(vendor.streams[0]?.heardMs).toBeGreaterThanOrEqual(1_500);
  });

  it('ends by its command and reports the last turn', async () => {
    const recognizer = start();
    await new Speaker(recognizer, clock).say('alpha', 0);
    await clock.settled('close', recognizer.close(), 2_000);
    expect(recorded.texts).toEqual(['alpha']);
    expect(vendor.streams[0]?.commands).toEqual(['{"type":"close"}']);
    await clock.until('closed sockets', () => host.openSockets === 0);
  });

  it('reports a long turn as far as it is known when its audio is no longer there', async () => {
    const speaker = new Speaker(start(), clock);
    await speaker.say(Array<string>(24).fill('alpha').join(' '), 0);
    await clock.until('the last word', () => recorded.interims.at(-1)?.text.split(' ').length === 24);
    host.cutAll();
    await finals(1);
    await speaker.say('bravo', PAUSE_MS);
    await finals(2);
    expect(recorded.texts).toEqual([Array<string>(24).fill('alpha').join(' '), 'bravo']);
  });
});

describe('the Cartesia recognizer with ink-whisper', () => {
  it('asks for text when the voice has paused, in a bare word', async () => {
    const recognizer = start({ options: WHISPER });
    const speaker = new Speaker(recognizer, clock);
    await speaker.say('alpha bravo', 300);
    recognizer.flush();
    await finals(1);
    expect(recorded.finals).toEqual([
      { text: 'alpha bravo', startMs: 0, endMs: 500, confidence: null, language: 'en', speaker: null },
    ]);
    expect(vendor.streams[0]?.commands).toEqual(['finalize']);
    expect(vendor.parameters[0]).toMatchObject({ model: 'ink-whisper', language: 'de' });
  });

  it('joins texts as they are, and reports what silence has settled', async () => {
    const speaker = new Speaker(start({ options: WHISPER }), clock);
    await speaker.say('alpha', 750);
    await speaker.say('bravo', 2_500);
    await finals(1);
    expect(recorded.texts).toEqual(['alpha bravo']);
    expect(recorded.interims.map(({ text }) => text)).toEqual(['alpha', 'alpha bravo']);
  });

  it('measures by durations where words have no times', async () => {
    vendor.tellsWords = false;
    const recognizer = start({ options: WHISPER });
    const speaker = new Speaker(recognizer, clock);
    await speaker.say('alpha', 300);
    recognizer.flush();
    await finals(1);
    host.cutAll();
    await speaker.say('bravo', 300);
    recognizer.flush();
    await finals(2);
    expect(recorded.texts).toEqual(['alpha', 'bravo']);
  });

  it('ends by a bare word and reports the last text', async () => {
    const recognizer = start({ options: WHISPER });
    await new Speaker(recognizer, clock).say('alpha', 0);
    await clock.settled('close', recognizer.close(), 2_000);
    expect(recorded.texts).toEqual(['alpha']);
    expect(vendor.streams[0]?.commands).toEqual(['close']);
    await clock.until('closed sockets', () => host.openSockets === 0);
  });

  it('keeps the connection in a long silence', async () => {
    start({ options: WHISPER });
    await clock.until('silence', () => (vendor.streams[0]?.heardMs ?? 0) >= 100);
    expect(vendor.total).toBe(1);
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
    expect(recorded.failures).toEqual([{ kind: 'bad_key', words: 'Unauthorized: Invalid API key [key]' }]);
    expect(JSON.stringify(recorded)).not.toContain(key);
  });

  it.each([
    ['the account is out of funds', CARTESIA_ERRORS.outOfFunds, 'out_of_funds'],
    ['the model is gone', CARTESIA_ERRORS.modelGone, 'refused'],
  ])('ends the session when %s', async (_name, refusal, kind) => {
    vendor.faults.push({ refusal });
    start({ options });
    await failure();
    expect(recorded.failures).toMatchObject([{ kind }]);
    expect(recorded.failures[0]?.words).toContain(refusal.message);
    expect(vendor.total).toBe(0);
  });

  it.each([
    ['there are too many streams', { refusal: CARTESIA_ERRORS.tooMany }, 'rate_limited'],
    ['the server is down', { refusal: CARTESIA_ERRORS.down }, 'unreachable'],
    ['the server reports an error', { error: CARTESIA_ERRORS.down }, 'unreachable'],
  ])('connects again when %s, with what was said meanwhile', async (_name, fault, kind) => {
    vendor.faults.push(fault);
    const recognizer = start({ options });
    const speaker = new Speaker(recognizer, clock);
    await speaker.say('alpha bravo', PAUSE_MS);
    recognizer.flush();
    await finals(1);
    expect(recorded.texts).toEqual(['alpha bravo']);
    expect(recorded.disconnections).toMatchObject([{ kind }]);
    expect(recorded.reconnections).toBe(1);
  });
});
