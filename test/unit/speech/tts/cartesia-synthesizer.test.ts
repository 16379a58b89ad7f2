import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Synthesizer } from '../../../../src/speech/tts/synthesizer.ts';
import { cartesiaTts } from '../../../../src/speech/vendors/cartesia/cartesia-tts.ts';
import { refusalWith } from '../../../fakes/cartesia/socket-entry.ts';
import { CARTESIA_ERRORS, errorMessage } from '../../../fakes/cartesia/socket-errors.ts';
import { CartesiaTts } from '../../../fakes/cartesia/tts-socket.ts';
import { RecordedSynthesis } from '../recorded-synthesis.ts';
import { type ClientOptions, KEY, synthesizerClient, VendorWorld } from '../vendor-world.ts';

let world: VendorWorld<CartesiaTts, Synthesizer, RecordedSynthesis>;

beforeEach(async () => {
  world = await VendorWorld.start({
    vendor: (clock) => new CartesiaTts(clock, KEY),
    client: synthesizerClient(cartesiaTts),
    recorded: new RecordedSynthesis(),
  });
});

afterEach(async () => {
  await world.stop();
  expect(world.vendor.offences).toEqual([]);
});

const start = (options?: ClientOptions) => world.connect(options);

function say(synthesizer: Synthesizer, utteranceId: string, ...texts: readonly string[]): void {
  texts.forEach((text, place) => {
    synthesizer.speak({ utteranceId, text, isLast: place === texts.length - 1 });
  });
}

const settled = (count: number) =>
  world.clock.until(`${count} utterances`, () => world.recorded.settled === count);
const wordsOf = (utteranceId: string) => world.recorded.heard(utteranceId, world.client.format);

describe('the Cartesia synthesizer', () => {
  it('speaks pieces in order, each in a context of its own, and ends the utterance once', async () => {
    say(start(), 'u1', 'Alpha bravo. ', 'Charlie. ', 'Delta echo.');
    await settled(1);
    expect(world.recorded.ends).toEqual(['u1']);
    expect(wordsOf('u1')).toBe('alpha bravo charlie delta echo');
    expect(world.vendor.requests.map(({ transcript }) => transcript)).toEqual([
      'Alpha bravo. ',
      'Charlie. ',
      'Delta echo.',
    ]);
    expect(new Set(world.vendor.requests.map(({ context_id }) => context_id)).size).toBe(3);
    expect(world.vendor.mostContexts).toBe(1);
  });

  it('speaks a piece that comes long after the last one, when that context has expired', async () => {
    const synthesizer = start();
    synthesizer.speak({ utteranceId: 'u1', text: 'Alpha. ', isLast: false });
    await world.clock.until(
      'the first piece',
      () => world.vendor.requests.length === 1 && world.vendor.contexts.size === 0,
    );
    world.clock.leap(2_000);
    synthesizer.speak({ utteranceId: 'u1', text: 'Bravo.', isLast: true });
    await settled(1);
    expect(wordsOf('u1')).toBe('alpha bravo');
  });

  it('reports whole samples although the vendor cuts them in two', async () => {
    say(start(), 'u1', 'Alpha bravo.');
    await settled(1);
    const lengths = world.recorded.chunksOf('u1').map(({ length }) => length);
    expect(lengths.length).toBeGreaterThan(1);
    expect(lengths.filter((length) => length % 2 !== 0)).toEqual([]);
    expect(world.recorded.audioBytes('u1')).toBe(600 * 32);
  });

  it('gives µ-law at 8 kHz', async () => {
    const synthesizer = start({ rateHz: 8_000 });
    expect(synthesizer.format).toEqual({ encoding: 'mulaw', sampleRateHz: 8_000 });
    say(synthesizer, 'u1', 'Alpha bravo.');
    await settled(1);
    expect(wordsOf('u1')).toBe('alpha bravo');
  });

  it('tells when words are spoken, over all pieces of the utterance', async () => {
    say(start(), 'u1', 'Alpha, bravo! ', '“Charlie.”');
    await settled(1);
    expect(world.recorded.partsOf('u1')).toEqual([
      { text: 'Alpha, ', startMs: 0 },
      { text: 'bravo! ', startMs: 300 },
      { text: '“Charlie.”', startMs: 600 },
    ]);
  });

  it('sends the options, and leaves out those that are as usual', async () => {
    const options = {
      model: 'sonic-3.5',
      voice: 'v1',
      language: 'de',
      speed: 1.2,
      volume: 1,
      emotion: 'calm',
    };
    say(start({ options }), 'u1', 'Alpha.');
    await settled(1);
    say(start(), 'u2', 'Bravo.');
    await settled(2);
    const common = {
      continue: false,
      add_timestamps: true,
      max_buffer_delay_ms: 0,
      output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 16_000 },
    };
    expect(world.vendor.requests).toEqual([
      {
        ...common,
        context_id: '1',
        transcript: 'Alpha.',
        model_id: 'sonic-3.5',
        voice: { mode: 'id', id: 'v1' },
        language: 'de',
        generation_config: { speed: 1.2, emotion: 'calm' },
      },
      {
        ...common,
        context_id: '1',
        transcript: 'Bravo.',
        model_id: 'sonic-3',
        voice: { mode: 'id', id: 'f786b574-daa5-4673-aa0c-cbe3e8534c02' },
        language: 'en',
      },
    ]);
  });

  it('hears nothing of a cancelled utterance although the vendor sends more of it', async () => {
    const synthesizer = start();
    say(synthesizer, 'u1', 'Alpha bravo charlie delta echo. ', 'Foxtrot.');
    await world.clock.until('audio', () => world.recorded.audioBytes('u1') > 0);
    synthesizer.cancel('u1');
    const before = world.recorded.audioBytes('u1');
    say(synthesizer, 'u2', 'Golf.');
    await settled(1);
    await world.clock.until('the end of the cancelled context', () => world.vendor.contexts.size === 0);
    expect(world.vendor.cancels).toEqual(['1']);
    expect(world.recorded.ends).toEqual(['u2']);
    expect(world.recorded.audioBytes('u1')).toBe(before);
    expect(wordsOf('u2')).toBe('golf');
    expect(world.vendor.requests.length).toBe(2);
  });

  it('passes over text without a word, which the vendor would refuse', async () => {
    say(start(), 'u1', 'Alpha. ', '… ', '— !');
    await settled(1);
    expect(world.recorded.ends).toEqual(['u1']);
    expect(world.vendor.requests.length).toBe(1);
  });

  it('tries again when there are too many contexts', async () => {
    world.vendor.faults.push({ error: CARTESIA_ERRORS.tooMany });
    say(start(), 'u1', 'Alpha.');
    await settled(1);
    expect(wordsOf('u1')).toBe('alpha');
  });

  it('gives an utterance up after three tries, in the words of the vendor, and speaks the next one', async () => {
    const error = CARTESIA_ERRORS.tooMany;
    world.vendor.faults.push({ error }, { error }, { error });
    const synthesizer = start();
    say(synthesizer, 'u1', 'Alpha. ', 'Bravo.');
    await settled(1);
    expect(world.recorded.failures).toEqual([
      {
        utteranceId: 'u1',
        fault: { kind: 'rate_limited', words: 'Too many requests: You have too many concurrent requests' },
      },
    ]);
    say(synthesizer, 'u2', 'Charlie.');
    await settled(2);
    expect(wordsOf('u2')).toBe('charlie');
  });

  it('does not take an error for the end of the audio', async () => {
    const message = errorMessage(CARTESIA_ERRORS.down, null);
    world.vendor.faults.push({ errorAfterChunks: { chunks: 2, message } });
    say(start(), 'u1', 'Alpha bravo charlie.');
    await settled(1);
    expect(world.recorded.ends).toEqual([]);
    expect(world.recorded.failures).toMatchObject([{ utteranceId: 'u1', fault: { kind: 'unreachable' } }]);
  });

  it('says what to do when the model is gone', async () => {
    say(start({ options: { model: 'sonic-2' } }), 'u1', 'Alpha.');
    await settled(1);
    expect(world.recorded.failures).toEqual([
      {
        utteranceId: 'u1',
        fault: {
          kind: 'refused',
          words:
            'Choose another model in the voice config. Model sunsetted: sonic-2 was sunset on June 1, 2026',
        },
      },
    ]);
  });

  it('ends the session when the account runs out of funds', async () => {
    world.vendor.faults.push({ error: CARTESIA_ERRORS.outOfFunds });
    say(start(), 'u1', 'Alpha.');
    await settled(1);
    expect(world.recorded.failures).toMatchObject([{ utteranceId: null, fault: { kind: 'out_of_funds' } }]);
    await world.clock.until('closed sockets', () => world.host.openSockets === 0);
  });

  it('reports a wrong key, without repeating it', async () => {
    const key = 'sk_car_WrongKey0123456789';
    start({ key });
    await settled(1);
    expect(world.recorded.failures).toEqual([
      { utteranceId: null, fault: { kind: 'bad_key', words: 'Unauthorized: Invalid API key [key]' } },
    ]);
    expect(JSON.stringify(world.recorded)).not.toContain(key);
  });

  it('fails an utterance that is cut in the middle, and speaks the next one over a new connection', async () => {
    world.vendor.faults.push({ cutAfterChunks: 2 });
    const synthesizer = start();
    say(synthesizer, 'u1', 'Alpha bravo charlie. ', 'Delta.');
    say(synthesizer, 'u2', 'Echo.');
    await settled(2);
    expect(world.recorded.failures).toMatchObject([{ utteranceId: 'u1', fault: { kind: 'unreachable' } }]);
    expect(wordsOf('u2')).toBe('echo');
    expect(world.recorded.disconnections.length).toBe(1);
    expect(world.recorded.reconnections).toBe(1);
    expect(world.vendor.total).toBe(2);
  });

  it('speaks what was not heard yet over a new connection', async () => {
    world.vendor.faults.push({ cutAfterChunks: 0 });
    say(start(), 'u1', 'Alpha.');
    await settled(1);
    expect(wordsOf('u1')).toBe('alpha');
    expect(world.recorded.reconnections).toBe(1);
  });

  it.each([
    ['busy', CARTESIA_ERRORS.tooMany],
    ['down', CARTESIA_ERRORS.down],
  ])('waits for a vendor that is %s', async (_name, refusal) => {
    world.vendor.refusals.push(refusalWith(refusal));
    say(start(), 'u1', 'Alpha.');
    await settled(1);
    expect(wordsOf('u1')).toBe('alpha');
  });

  it('lets the caller cancel an utterance of which nothing comes', async () => {
    world.vendor.faults.push({ stallAfterChunks: 1 });
    const synthesizer = start();
    say(synthesizer, 'u1', 'Alpha bravo.');
    await world.clock.until('audio', () => world.recorded.audioBytes('u1') > 0);
    synthesizer.cancel('u1');
    say(synthesizer, 'u2', 'Charlie.');
    await settled(1);
    expect(wordsOf('u2')).toBe('charlie');
  });

  it('connects again when the vendor closes an idle connection', async () => {
    const synthesizer = start();
    say(synthesizer, 'u1', 'Alpha.');
    await settled(1);
    world.clock.leap(5 * 60_000);
    await world.clock.until(
      'a new connection',
      () => world.vendor.total === 2 && world.vendor.openSockets === 1,
    );
    say(synthesizer, 'u2', 'Bravo.');
    await settled(2);
    expect(wordsOf('u2')).toBe('bravo');
    expect(world.recorded.disconnections).toEqual([]);
  });

  it('has no connection open when it is closed, and reports nothing', async () => {
    const synthesizer = start();
    say(synthesizer, 'u1', 'Alpha bravo charlie.');
    await world.clock.until('audio', () => world.recorded.audioBytes('u1') > 0);
    await world.clock.settled('close', synthesizer.close(), 2_000);
    await world.clock.until('closed sockets', () => world.host.openSockets === 0);
    expect(world.vendor.contexts.size).toBe(0);
    expect(world.recorded.settled).toBe(0);
  });

  it('refuses more than 64 pieces', () => {
    say(start(), 'u1', ...Array<string>(65).fill('Alpha.'));
    expect(world.recorded.failures[0]?.fault.words).toBe('More than 64 sentences are waiting to be spoken');
  });
});
