import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Recognizer } from '../../../../src/speech/stt/recognizer.ts';
import { assemblyAiStt } from '../../../../src/speech/vendors/assemblyai/assemblyai-stt.ts';
import { AssemblyAiStt } from '../../../fakes/assemblyai/stt-socket.ts';
import { RecordedRecognition } from '../recorded-recognition.ts';
import { Speaker } from '../speaker.ts';
import { type ClientOptions, KEY, recognizerClient, VendorWorld } from '../vendor-world.ts';

const PAUSE_MS = 1_000;

let world: VendorWorld<AssemblyAiStt, Recognizer, RecordedRecognition>;

beforeEach(async () => {
  world = await VendorWorld.start({
    vendor: (clock) => new AssemblyAiStt(clock, KEY),
    client: recognizerClient(assemblyAiStt),
    recorded: new RecordedRecognition(),
  });
});

afterEach(async () => {
  await world.stop();
  expect(world.vendor.offences).toEqual([]);
});

const start = (options?: ClientOptions) => world.connect(options);
const speakerTo = (recognizer = start()) => new Speaker(recognizer, (chunkMs) => world.clock.pass(chunkMs));
const finals = (count: number) =>
  world.clock.until(`${count} finals`, () => world.recorded.finals.length === count);
const failure = () => world.clock.until('the failure', () => world.recorded.failures.length > 0);

describe('the AssemblyAI recognizer', () => {
  it('reports interim results, and the formatted text of each turn once', async () => {
    const speaker = speakerTo();
    await speaker.say('alpha bravo', PAUSE_MS);
    await speaker.say('charlie', PAUSE_MS);
    await finals(2);
    expect(world.recorded.finals).toEqual([
      { text: 'Alpha bravo.', startMs: 0, endMs: 500, confidence: 0.75, language: null, speaker: null },
      { text: 'Charlie.', startMs: 1_600, endMs: 1_800, confidence: 0.75, language: null, speaker: null },
    ]);
    expect(world.recorded.interims.map(({ text }) => text)).toEqual(['alpha', 'alpha bravo', 'charlie']);
    expect(world.recorded.events).toEqual(['turn started', 'turn ended', 'turn started', 'turn ended']);
  });

  it('takes µ-law at 8 kHz', async () => {
    const recognizer = start({ rateHz: 8_000 });
    expect(recognizer.format).toEqual({ encoding: 'mulaw', sampleRateHz: 8_000 });
    await speakerTo(recognizer).say('delta echo', PAUSE_MS);
    await finals(1);
    expect(world.recorded.texts).toEqual(['Delta echo.']);
  });

  it('reports the raw text when the formatted one does not come within a second', async () => {
    world.vendor.formatDelayMs = null;
    await speakerTo().say('alpha', PAUSE_MS);
    expect(world.recorded.texts).toEqual([]);
    await finals(1);
    expect(world.recorded.texts).toEqual(['alpha']);
  });

  it('reports a turn once although its formatted text comes too late', async () => {
    world.vendor.formatDelayMs = 1_500;
    const speaker = speakerTo();
    await speaker.say('alpha', 2_500);
    world.vendor.formatDelayMs = 20;
    await speaker.say('bravo', PAUSE_MS);
    await finals(2);
    expect(world.recorded.texts).toEqual(['alpha', 'Bravo.']);
  });

  it('keeps the order of turns when the next one ends before the text of the last one is formatted', async () => {
    world.vendor.formatDelayMs = 900;
    const speaker = speakerTo();
    await speaker.say('alpha', 420);
    await speaker.say('bravo', 2_000);
    await finals(2);
    expect(world.recorded.texts.map((text) => text.toLowerCase().replace('.', ''))).toEqual([
      'alpha',
      'bravo',
    ]);
  });

  it('decides by the end of turn alone with models that always format', async () => {
    const options = {
      model: 'universal-3-6-pro',
      format_turns: true,
      prompt: 'A call.',
      languages: ['en', 'de'],
    };
    await speakerTo(start({ options })).say('alpha bravo', PAUSE_MS);
    await finals(1);
    expect(world.recorded.texts).toEqual(['Alpha bravo.']);
    expect(world.vendor.parameters).toMatchObject([
      { speech_model: 'universal-3-6-pro', prompt: 'A call.', language_codes: ['en', 'de'] },
    ]);
    expect(world.vendor.parameters[0]).not.toHaveProperty('format_turns');
  });

  it('sends the options as parameters, and always the model', async () => {
    const options = {
      keyterms: ['Zulu', 'new york'],
      min_turn_silence: 300,
      filter_profanity: true,
      format_turns: false,
    };
    start({ options });
    await world.clock.until('a session', () => world.vendor.parameters.length === 1);
    expect(world.vendor.parameters).toEqual([
      {
        speech_model: 'universal-streaming-english',
        encoding: 'pcm_s16le',
        sample_rate: 16_000,
        format_turns: 'false',
        min_turn_silence: 300,
        keyterms_prompt: ['Zulu', 'new york'],
        filter_profanity: 'true',
      },
    ]);
  });

  it('names speakers where the vendor tells them apart', async () => {
    world.vendor.speakers.push('A', 'UNKNOWN', 'B');
    const speaker = speakerTo(start({ options: { speaker_labels: true, max_speakers: 2 } }));
    for (const word of ['alpha', 'bravo', 'charlie']) await speaker.say(word, PAUSE_MS);
    await finals(3);
    expect(world.recorded.finals.map(({ speaker: label }) => label)).toEqual(['A', null, 'B']);
  });

  it('ends a turn at once when the voice has paused', async () => {
    const recognizer = start({ options: { min_turn_silence: 10_000 } });
    await speakerTo(recognizer).say('alpha', 300);
    recognizer.flush();
    await finals(1);
    expect(world.vendor.sessions[0]?.forcedEndpoints).toBe(1);
  });

  it('collects short chunks', async () => {
    const recognizer = start();
    const hear = (count: number) => {
      for (let chunk = 0; chunk < count; chunk++) recognizer.hear(new Uint8Array(640));
    };
    hear(3);
    // What is said before the session begins waits for it.
    await world.clock.until('a message', () => world.vendor.sessions[0]?.heardMs === 60);
    hear(2);
    await world.clock.settled('close', recognizer.close());
    expect(world.vendor.sessions[0]?.heardMs).toBe(110);
  });

  it('reports a wrong key, which is told after the connection is open, without repeating it', async () => {
    const key = 'wrongkeyofassemblyai0123456789';
    const recognizer = start({ key });
    recognizer.hear(new Uint8Array(3_200));
    await failure();
    expect(world.recorded.failures).toEqual([
      { kind: 'bad_key', words: 'Unauthorized Connection: invalid API key [key]' },
    ]);
    await world.clock.until('closed sockets', () => world.vendor.openSockets === 0);
    expect(JSON.stringify(world.recorded)).not.toContain(key);
  });

  it.each([
    [
      1008,
      'Unauthorized Connection: Your current account balance is negative. Please top up.',
      'out_of_funds',
    ],
    [4002, 'Insufficient Funds', 'out_of_funds'],
    [3006, `Invalid Message: ${'x'.repeat(200)}`, 'refused'],
  ])('ends the session after error %i: %s', async (code, error, kind) => {
    world.vendor.faults.push({ refusal: { code, error } });
    start();
    await failure();
    expect(world.recorded.failures).toEqual([{ kind, words: error }]);
    expect(world.vendor.total).toBe(1);
  });

  it.each([
    [
      'the session has lasted three hours',
      { refusal: { code: 3008, error: 'Session Expired' } },
      'session_cap',
    ],
    [
      'there are too many sessions',
      { refusal: { code: 3009, error: 'Too many concurrent sessions' } },
      'rate_limited',
    ],
    ['the server has a fault', { refusal: { code: 3005, error: 'Session Cancelled' } }, 'unreachable'],
    ['the upgrade is refused', { status: 503 }, 'unreachable'],
    ['the session does not begin', { hangs: true }, 'unreachable'],
  ])('connects again when %s, with what was said meanwhile', async (_name, fault, kind) => {
    world.vendor.faults.push(fault);
    const speaker = speakerTo();
    await speaker.say('alpha bravo', 2_000);
    await finals(1);
    expect(world.recorded.texts).toEqual(['Alpha bravo.']);
    expect(world.recorded.disconnections).toMatchObject([{ kind }]);
    expect(world.recorded.reconnections).toBe(1);
  });

  it('speaks to a new connection no faster than before, and catches up in pauses', async () => {
    const speaker = speakerTo();
    await speaker.say('alpha', PAUSE_MS);
    await finals(1);
    world.host.cutAll();
    await speaker.say('bravo charlie delta', 3_000);
    await speaker.say('echo', PAUSE_MS);
    await finals(3);
    expect(world.recorded.texts).toEqual(['Alpha.', 'Bravo charlie delta.', 'Echo.']);
    expect(world.recorded.finals.map(({ startMs }) => startMs)).toEqual([0, 1_300, 5_200]);
  });

  it('reports words whose audio is no longer there when the connection is lost', async () => {
    const speaker = speakerTo(start({ options: { min_turn_silence: 10_000 } }));
    const words = Array.from({ length: 24 }, (_, place) => (place % 2 === 0 ? 'alpha' : 'bravo'));
    await speaker.say(words.join(' '), 0);
    world.host.cutAll();
    await speaker.say('', 8_000);
    await world.clock.settled('close', world.client.close());
    const heard = world.recorded.texts.join(' ').toLowerCase().replaceAll('.', '').split(' ');
    expect(world.recorded.finals.length).toBe(2);
    expect(heard).toEqual(words);
  });

  it('terminates its session, reports the last turn and leaves no connection open', async () => {
    const recognizer = start();
    await speakerTo(recognizer).say('alpha', 0);
    await world.clock.settled('close', recognizer.close(), 2_000);
    expect(world.recorded.texts).toEqual(['Alpha.']);
    expect(world.vendor.sessions.map(({ isTerminated }) => isTerminated)).toEqual([true]);
    await world.clock.until('closed sockets', () => world.host.openSockets === 0);
  });

  it('leaves no connection open when it is closed before the session begins', async () => {
    world.vendor.faults.push({ hangs: true });
    const recognizer = start();
    await world.clock.until('a connection', () => world.vendor.openSockets === 1);
    await world.clock.settled('close', recognizer.close(), 2_000);
    await world.clock.until('closed sockets', () => world.host.openSockets === 0);
    expect(world.recorded.failures).toEqual([]);
  });
});
