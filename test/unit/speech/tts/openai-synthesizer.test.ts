import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenAiSynthesizer } from '../../../../src/speech/vendors/openai/openai-synthesizer.ts';
import { modelGone, outOfFunds, rateLimited, serverError } from '../../../fakes/openai/audio-errors.ts';
import { OpenAiAudio } from '../../../fakes/openai/audio-routes.ts';
import { GAP_MS, WORD_MS } from '../../../fakes/tone-speech.ts';
import { RecordedSynthesis } from '../recorded-synthesis.ts';
import { type ClientOptions, KEY, VendorWorld } from '../vendor-world.ts';

const BYTES_PER_WORD = (WORD_MS + GAP_MS) * 48;

let world: VendorWorld<OpenAiAudio, OpenAiSynthesizer, RecordedSynthesis>;

beforeEach(async () => {
  world = await VendorWorld.start({
    vendor: (clock) => new OpenAiAudio(KEY, clock),
    client: (preset, _rateHz, deps, recorded) => new OpenAiSynthesizer(preset, deps, recorded),
    recorded: new RecordedSynthesis(),
  });
});

afterEach(() => world.stop());

const start = (options: ClientOptions['options'] = {}, key = KEY) => world.connect({ options, key });

function say(synthesizer: OpenAiSynthesizer, utteranceId: string, ...texts: readonly string[]): void {
  texts.forEach((text, place) => {
    synthesizer.speak({ utteranceId, text, isLast: place === texts.length - 1 });
  });
}

const settled = (count: number) =>
  world.clock.until(`${count} utterances`, () => world.recorded.settled === count);
const wordsOf = (utteranceId: string) => world.recorded.heard(utteranceId, world.client.format);

describe('the OpenAI synthesizer', () => {
  it('speaks pieces in order, with one request each, and ends the utterance once', async () => {
    say(start(), 'u1', 'Alpha bravo.', 'Charlie.', 'Delta echo foxtrot.');
    await settled(1);
    expect(world.recorded.ends).toEqual(['u1']);
    expect(wordsOf('u1')).toBe('alpha bravo charlie delta echo foxtrot');
    expect(world.vendor.speeches.map(({ input }) => input)).toEqual([
      'Alpha bravo.',
      'Charlie.',
      'Delta echo foxtrot.',
    ]);
    expect(world.vendor.offences).toEqual([]);
  });

  it('reports whole samples although the vendor cuts them in two', async () => {
    say(start(), 'u1', 'Alpha bravo.');
    await settled(1);
    const lengths = world.recorded.chunksOf('u1').map(({ length }) => length);
    expect(lengths.length).toBeGreaterThan(1);
    expect(lengths.filter((length) => length % 2 !== 0)).toEqual([]);
    expect(world.recorded.audioBytes('u1')).toBe(2 * BYTES_PER_WORD);
  });

  it('asks for the next piece while one is received, and for no more than that', async () => {
    world.vendor.faults.push({ delayMs: 100 }, { delayMs: 100 }, { delayMs: 100 });
    say(start(), 'u1', 'Alpha.', 'Bravo.', 'Charlie.', 'Delta.');
    await settled(1);
    expect(world.vendor.mostOpenRequests).toBe(2);
    expect(wordsOf('u1')).toBe('alpha bravo charlie delta');
  });

  it('keeps the order when the later piece is answered first', async () => {
    world.vendor.faults.push({ delayMs: 200 }, null);
    say(start(), 'u1', 'Alpha.', 'Bravo.');
    await settled(1);
    expect(wordsOf('u1')).toBe('alpha bravo');
  });

  it('sends the options of the voice, and none that is not set', async () => {
    say(start({ voice: 'marin', instructions: 'Whisper.', speed: 1.5 }), 'u1', 'Alpha.');
    await settled(1);
    say(start(), 'u2', 'Bravo.');
    await settled(2);
    expect(world.vendor.speeches).toEqual([
      {
        model: 'gpt-4o-mini-tts',
        voice: 'marin',
        instructions: 'Whisper.',
        speed: 1.5,
        input: 'Alpha.',
        response_format: 'pcm',
      },
      { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Bravo.', response_format: 'pcm' },
    ]);
  });

  it('aborts the requests of a cancelled utterance and reports nothing more of it', async () => {
    const synthesizer = start();
    world.vendor.faults.push({ stallAfterBytes: 9_000 });
    say(synthesizer, 'u1', 'Alpha bravo.', 'Charlie.');
    await world.clock.until('audio', () => world.recorded.audioBytes('u1') > 0);
    synthesizer.cancel('u1');
    const before = world.recorded.audioBytes('u1');
    say(synthesizer, 'u2', 'Delta.');
    await settled(1);
    await world.clock.until('the aborted request', () => world.vendor.abortedRequests > 0);
    expect(world.recorded.ends).toEqual(['u2']);
    expect(world.recorded.audioBytes('u1')).toBe(before);
    expect(wordsOf('u2')).toBe('delta');
  });

  it('cancels one utterance and goes on with the next', async () => {
    const synthesizer = start();
    world.vendor.faults.push({ delayMs: 300 });
    say(synthesizer, 'u1', 'Alpha.');
    say(synthesizer, 'u2', 'Bravo.');
    synthesizer.cancel('u1');
    await settled(1);
    expect(world.recorded.ends).toEqual(['u2']);
    expect(world.recorded.audioBytes('u1')).toBe(0);
  });

  it.each([
    ['too many requests', rateLimited()],
    ['too many requests, with a time to wait', rateLimited(1)],
    ['a fault of the server', serverError()],
  ])('sends a request again after %s', async (_name, error) => {
    world.vendor.faults.push({ error });
    say(start(), 'u1', 'Alpha.');
    await world.clock.until('the refusal', () => world.vendor.speeches.length === 1);
    await settled(1);
    expect(wordsOf('u1')).toBe('alpha');
    expect(world.recorded.reconnections).toBe(1);
  });

  it('tries again until the utterance is cancelled, and says so once', async () => {
    for (let tries = 0; tries < 20; tries++) world.vendor.faults.push({ error: rateLimited(0) });
    const synthesizer = start();
    say(synthesizer, 'u1', 'Alpha.');
    await world.clock.until('some tries', () => world.vendor.speeches.length > 5);
    synthesizer.cancel('u1');
    world.vendor.faults.length = 0;
    say(synthesizer, 'u2', 'Bravo.');
    await settled(1);
    expect(wordsOf('u2')).toBe('bravo');
    expect(world.recorded.disconnections).toEqual([
      { kind: 'rate_limited', words: 'Rate limit reached for requests. Please try again later.' },
    ]);
    expect(world.recorded.reconnections).toBe(1);
  });

  it('does not wait for a vendor that asks for a minute', async () => {
    world.vendor.faults.push({ error: rateLimited(60) });
    say(start(), 'u1', 'Alpha.');
    await settled(1);
    expect(world.recorded.failures[0]?.fault.kind).toBe('rate_limited');
  });

  it('fails the utterance when the vendor breaks off in the middle', async () => {
    world.vendor.faults.push({ cutAfterBytes: 9_000 });
    const synthesizer = start();
    say(synthesizer, 'u1', 'Alpha bravo.', 'Charlie.');
    await settled(1);
    expect(world.recorded.failures[0]).toMatchObject({ utteranceId: 'u1', fault: { kind: 'unreachable' } });
    say(synthesizer, 'u2', 'Delta.');
    await settled(2);
    expect(wordsOf('u2')).toBe('delta');
  });

  it('fails the utterance when the vendor falls silent in the middle', async () => {
    world.vendor.faults.push({ stallAfterBytes: 9_000 });
    say(start(), 'u1', 'Alpha bravo.');
    await world.clock.until('audio', () => world.recorded.audioBytes('u1') >= 8_998);
    world.clock.leap(5_000);
    await settled(1);
    expect(world.recorded.failures).toEqual([
      {
        utteranceId: 'u1',
        fault: { kind: 'unreachable', words: 'The request failed: nothing came for 5 s' },
      },
    ]);
    await world.clock.until('the closed connection', () => world.vendor.openRequests === 0);
  });

  it('tries again when nothing comes for 5 s', async () => {
    world.vendor.faults.push({ delayMs: 60_000 });
    say(start(), 'u1', 'Alpha.');
    await world.clock.until('the request', () => world.vendor.speeches.length === 1);
    world.clock.leap(5_000);
    await settled(1);
    expect(wordsOf('u1')).toBe('alpha');
  });

  it.each(['audio/mpeg', 'text/event-stream', 'application/json'])(
    'does not play %s as PCM',
    async (contentType) => {
      world.vendor.faults.push({ contentType });
      say(start(), 'u1', 'Alpha.');
      await settled(1);
      expect(world.recorded.failures[0]?.fault.words).toBe(`The audio came as ${contentType} instead of PCM`);
      expect(world.recorded.audioBytes('u1')).toBe(0);
    },
  );

  it('ends the session when the account is out of funds', async () => {
    world.vendor.faults.push({ error: outOfFunds() });
    const synthesizer = start();
    say(synthesizer, 'u1', 'Alpha.', 'Bravo.');
    await settled(1);
    expect(world.recorded.failures).toEqual([
      {
        utteranceId: null,
        fault: {
          kind: 'out_of_funds',
          words: 'You exceeded your current quota, please check your plan and billing details.',
        },
      },
    ]);
    await world.clock.until('closed connections', () => world.host.openSockets === 0);
  });

  it('says what to do when the model is gone', async () => {
    world.vendor.faults.push({ error: modelGone('gpt-4o-mini-tts') });
    say(start(), 'u1', 'Alpha.');
    await settled(1);
    expect(world.recorded.failures).toEqual([
      {
        utteranceId: null,
        fault: {
          kind: 'refused',
          words:
            'Choose another model in the voice config. The model `gpt-4o-mini-tts` does not exist or you do not have access to it.',
        },
      },
    ]);
  });

  it('hides a wrong key, which OpenAI repeats', async () => {
    const key = 'sk-proj-WrongKey0123456789';
    say(start({}, key), 'u1', 'Alpha.');
    await settled(1);
    expect(world.recorded.failures[0]).toMatchObject({ utteranceId: null, fault: { kind: 'bad_key' } });
    expect(world.recorded.failures[0]?.fault.words).toMatch(/^Incorrect API key provided: \[key\]\./);
    expect(JSON.stringify(world.recorded)).not.toContain(key);
  });

  it('fails one utterance when its text is refused', async () => {
    const synthesizer = start();
    say(synthesizer, 'u1', 'alpha '.repeat(1_000));
    await settled(1);
    expect(world.recorded.failures[0]).toMatchObject({ utteranceId: 'u1', fault: { kind: 'refused' } });
    say(synthesizer, 'u2', 'Bravo.');
    await settled(2);
    expect(wordsOf('u2')).toBe('bravo');
  });

  it('reports an address where nobody listens', async () => {
    const synthesizer = start();
    await world.host.stop();
    say(synthesizer, 'u1', 'Alpha.');
    await world.clock.until('the fault', () => world.recorded.disconnections.length > 0);
    expect(world.recorded.disconnections).toEqual([
      { kind: 'unreachable', words: 'The request failed: ECONNREFUSED' },
    ]);
  });

  it('refuses more than 64 pieces', () => {
    const synthesizer = start();
    say(synthesizer, 'u1', ...Array<string>(65).fill('Alpha.'));
    expect(world.recorded.failures[0]?.fault.words).toBe('More than 64 sentences are waiting to be spoken');
  });

  it('has no connection open when it is closed, and reports nothing', async () => {
    const synthesizer = start();
    world.vendor.faults.push({ stallAfterBytes: 9_000 });
    say(synthesizer, 'u1', 'Alpha bravo.', 'Charlie.');
    await world.clock.until('audio', () => world.recorded.audioBytes('u1') > 0);
    await world.clock.settled('close', synthesizer.close(), 2_000);
    await world.clock.until('closed connections', () => world.host.openSockets === 0);
    expect(world.recorded.settled).toBe(0);
  });

  it('uses open connections again', async () => {
    const synthesizer = start();
    say(synthesizer, 'u1', 'Alpha.');
    await settled(1);
    const connections = world.host.openSockets;
    say(synthesizer, 'u2', 'Bravo.');
    await settled(2);
    expect(world.host.openSockets).toBe(connections);
  });
});
