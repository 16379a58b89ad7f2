import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Recognizer } from '../../../src/speech/stt/recognizer.ts';
import { deepgramStt } from '../../../src/speech/vendors/deepgram/deepgram-stt.ts';
import { BAD_KEY, deepgramRefusal, OUT_OF_FUNDS, TOO_MANY } from '../../fakes/deepgram/deepgram-errors.ts';
import { DeepgramSttSocket } from '../../fakes/deepgram/stt-socket.ts';
import { toneSpeech } from '../../fakes/tone-speech.ts';
import { waitFor } from '../../support/wait-for.ts';
import { RecordedRecognition } from './recorded-recognition.ts';
import { Speaker } from './speaker.ts';
import { KEY, recognizerClient, VendorWorld } from './vendor-world.ts';

/** Bytes of a word, 160 ms at 16 kHz, for which there is no text yet. */
const BEFORE_TEXT = 5_120;
const DOWN = deepgramRefusal(503, 'UNAVAILABLE', 'upstream connect error');
const FLUX = { model: 'flux-general-en' };

let world: VendorWorld<DeepgramSttSocket, Recognizer, RecordedRecognition>;
let speaker: Speaker;

beforeEach(async () => {
  world = await VendorWorld.start({
    vendor: (clock) => new DeepgramSttSocket(KEY, clock),
    client: recognizerClient(deepgramStt),
    recorded: new RecordedRecognition(),
  });
});

afterEach(() => world.stop());

function connect(options: object = {}, rateHz = 16_000): void {
  const recognizer = world.connect({ options: { ...options }, rateHz });
  speaker = new Speaker(recognizer, () => world.vendor.settled());
}

async function finals(count: number): Promise<void> {
  await waitFor(`${count} finals`, () => world.recorded.finals.length === count);
}

describe('DeepgramRecognizer', () => {
  it('reports each end of speech once, with all that is known of it', async () => {
    connect({ diarize: true });
    await world.vendor.connected();
    await speaker.say('alpha bravo charlie delta echo', 1_500);
    await speaker.say('golf india', 1_500);
    await finals(2);
    expect(world.recorded.texts).toEqual(['alpha bravo charlie delta echo', 'golf india']);
    expect(world.recorded.finals[0]).toEqual({
      text: 'alpha bravo charlie delta echo',
      startMs: 0,
      endMs: 1_400,
      confidence: expect.closeTo(0.9),
      language: 'en',
      speaker: '0',
    });
    expect(world.recorded.finals[1]).toMatchObject({ startMs: 3_000, endMs: 3_500 });
    expect(world.vendor.offences).toEqual([]);
  });

  it('reports what is understood while it is said', async () => {
    connect();
    await world.vendor.connected();
    await speaker.say('alpha bravo charlie delta', 80);
    expect(world.recorded.interims.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['alpha', 'alpha bravo', 'alpha bravo charlie', 'alpha bravo charlie delta']),
    );
    expect(world.recorded.finals).toEqual([]);
  });

  it.each([
    [8_000, { encoding: 'mulaw', sampleRateHz: 8_000 }],
    [22_050, { encoding: 's16le', sampleRateHz: 24_000 }],
    [48_000, { encoding: 's16le', sampleRateHz: 48_000 }],
  ])('chooses a format for a voice of %i Hz', async (rateHz, format) => {
    connect({}, rateHz);
    expect(world.client.format).toEqual(format);
    await world.vendor.connected();
    await speaker.say('alpha bravo', 1_500);
    await finals(1);
    expect(world.recorded.words).toBe('alpha bravo');
    expect(world.vendor.offences).toEqual([]);
  });

  it('sends all options of a preset', async () => {
    connect({
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
    await world.vendor.connected();
    expect(world.vendor.offences).toEqual([]);
    const query = new URL(world.vendor.upgrades[0]!.url, 'http://fake').searchParams;
    expect(query.getAll('keyterm')).toEqual(['Hôtel du Nord', 'R&D']);
    expect(query.getAll('redact')).toEqual(['pci', 'numbers']);
    expect(Object.fromEntries(query)).toMatchObject({
      smart_format: 'false',
      endpointing: '500',
      language: 'fr',
    });
  });

  it('names the key terms of older models as they want it', async () => {
    connect({ model: 'nova-2', keyterms: ['alpha'] });
    await world.vendor.connected();
    expect(world.vendor.upgrades[0]!.url).toContain('keywords=alpha');
    expect(world.vendor.offences).toEqual([]);
  });

  it('asks for the result when the voice pauses', async () => {
    connect();
    await world.vendor.connected();
    await speaker.say('alpha bravo', 40);
    expect(world.recorded.finals).toEqual([]);
    world.client.flush();
    await finals(1);
    world.client.flush();
    await waitFor('both', () => world.vendor.received.length === 2);
    await world.vendor.settled();
    expect(world.recorded.texts).toEqual(['alpha bravo']);
  });

  it('keeps an unused connection alive, even before the first audio', async () => {
    connect();
    await world.vendor.connected();
    for (let times = 1; times <= 15; times++) {
      world.clock.advance(4_000);
      await waitFor('a keep-alive', () => world.vendor.received.length === times);
    }
    await speaker.say('alpha', 1_500);
    await finals(1);
    // Silence that nobody said came first.
    expect(world.recorded.finals[0]).toMatchObject({ text: 'alpha', startMs: 0, endMs: 200 });
    expect(world.vendor.upgrades).toHaveLength(1);
    expect(world.vendor.offences).toEqual([]);
  });

  it('keeps what is said while Deepgram cannot be reached', async () => {
    world.vendor.refusals.push(DOWN);
    connect();
    await waitFor('the refusal', () => world.recorded.events.length === 1);
    await speaker.say('alpha bravo charlie', 1_500);
    world.clock.advance(500);
    await finals(1);
    expect(world.recorded.words).toBe('alpha bravo charlie');
    expect(world.recorded.events).toEqual(['disconnected unreachable', 'reconnected']);
  });

  it('keeps the last 5 s of it', async () => {
    world.vendor.refusals.push(DOWN);
    connect();
    await waitFor('the refusal', () => world.recorded.events.length === 1);
    await speaker.say('alpha bravo', 1_400);
    await speaker.say('charlie delta', 3_900);
    world.clock.advance(500);
    await finals(1);
    expect(world.recorded.finals[0]).toMatchObject({ text: 'charlie delta', startMs: 2_000, endMs: 2_500 });
  });

  it('reports what was understood before the connection was lost when that can no longer be heard again', async () => {
    connect();
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

  it('asks again for the result when the connection is lost in a pause', async () => {
    connect();
    await world.vendor.connected();
    await speaker.say('alpha bravo', 40);
    world.vendor.deliver = () => 'cut';
    world.client.flush();
    await waitFor('the loss', () => world.recorded.events.length === 1);
    world.vendor.deliver = () => 'send';
    world.clock.advance(500);
    await finals(1);
    expect(world.recorded.words).toBe('alpha bravo');
  });

  it('reports the last words when it is closed', async () => {
    connect();
    await world.vendor.connected();
    await speaker.say('alpha bravo', 40);
    await world.client.close();
    expect(world.recorded.texts).toEqual(['alpha bravo']);
    expect(world.vendor.received.at(-1)).toBe('{"type":"CloseStream"}');
    expect(world.recorded.events).toEqual([]);
  });

  it('reports what was understood when Deepgram does not answer the end', async () => {
    connect();
    await world.vendor.connected();
    await speaker.say('alpha bravo', 40);
    world.vendor.deliver = () => 'drop';
    await world.client.close();
    expect(world.recorded.texts).toEqual(['alpha bravo']);
  });

  it.each([
    ['a wrong key', BAD_KEY, 'failed bad_key'],
    ['no money', OUT_OF_FUNDS, 'failed out_of_funds'],
    ['too many requests', TOO_MANY, 'disconnected rate_limited'],
  ])('tells when Deepgram answers with %s', async (_name, refusal, event) => {
    world.vendor.refusals.push(refusal);
    connect();
    await waitFor(event, () => world.recorded.events.includes(event));
  });
});

describe('FluxRecognizer', () => {
  it('reports turns, and what was said in each', async () => {
    connect({ model: 'flux-general-multi', language: 'en' });
    await world.vendor.connected();
    await speaker.say('alpha bravo charlie delta', 1_000);
    await speaker.say('echo', 1_000);
    await finals(2);
    expect(world.recorded.texts).toEqual(['alpha bravo charlie delta', 'echo']);
    expect(world.recorded.finals[0]).toEqual({
      text: 'alpha bravo charlie delta',
      startMs: 0,
      endMs: 1_100,
      confidence: expect.closeTo(0.8),
      language: 'en',
      speaker: null,
    });
    expect(world.recorded.events).toEqual(['turn started', 'turn ended', 'turn started', 'turn ended']);
    expect(world.recorded.interims.map(({ text }) => text)).toContain('alpha bravo');
    expect(world.vendor.offences).toEqual([]);
  });

  it('sends all options of a preset that Flux takes', async () => {
    connect({
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
    await world.vendor.connected();
    expect(world.vendor.offences).toEqual([]);
    expect(world.vendor.upgrades[0]!.url).toMatch(/^\/v2\/listen\?.*eot_threshold=0\.8/);
    expect(world.vendor.upgrades[0]!.url).toContain('redact=numbers');
  });

  it('keeps an unused connection alive by silence, and ends a turn by it', async () => {
    connect(FLUX);
    await world.vendor.connected();
    for (let times = 1; times <= 10; times++) {
      world.clock.advance(4_000);
      await world.vendor.settled();
    }
    await speaker.say('alpha bravo', 80);
    world.client.flush();
    await finals(1);
    expect(world.recorded.finals[0]).toMatchObject({ text: 'alpha bravo', startMs: 0, endMs: 500 });
    expect(world.vendor.received).toEqual([]);
    expect(world.vendor.upgrades).toHaveLength(1);
  });

  it('reports what was understood before the connection was lost when that can no longer be heard again', async () => {
    connect(FLUX);
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

  it('ends a turn that is cut before it has text, and starts it again when it is heard again', async () => {
    connect(FLUX);
    await world.vendor.connected();
    const audio = toneSpeech('alpha', world.client.format);
    world.client.hear(audio.slice(0, BEFORE_TEXT));
    await waitFor('the turn', () => world.recorded.events.includes('turn started'));
    world.vendor.cutAll();
    await waitFor('the end', () => world.recorded.events.includes('disconnected unreachable'));
    expect(world.recorded.events).toEqual(['turn started', 'turn ended', 'disconnected unreachable']);
    world.clock.advance(500);
    await waitFor('the turn', () => world.recorded.events.at(-1) === 'turn started');
    world.client.hear(audio.slice(BEFORE_TEXT));
    await speaker.say('', 1_500);
    await finals(1);
    expect(world.recorded.texts).toEqual(['alpha']);
    expect(world.recorded.events.slice(3)).toEqual(['reconnected', 'turn started', 'turn ended']);
  });

  it('ends a turn that has no text and whose audio is no longer there', async () => {
    connect(FLUX);
    await world.vendor.connected();
    world.client.hear(toneSpeech('alpha', world.client.format).slice(0, BEFORE_TEXT));
    await waitFor('the turn', () => world.recorded.events.includes('turn started'));
    world.vendor.cutAll();
    await waitFor('the loss', () => world.recorded.events.includes('disconnected unreachable'));
    await speaker.say('', 6_000);
    world.clock.advance(500);
    await waitFor('a connection', () => world.recorded.events.includes('reconnected'));
    await world.vendor.settled();
    expect(world.recorded.events.filter((event) => event.startsWith('turn'))).toEqual([
      'turn started',
      'turn ended',
    ]);
    expect(world.recorded.finals).toEqual([]);
  });

  it('reports the last words when it is closed', async () => {
    connect(FLUX);
    await world.vendor.connected();
    await speaker.say('alpha bravo', 80);
    await world.client.close();
    expect(world.recorded.texts).toEqual(['alpha bravo']);
    expect(world.recorded.events).toEqual(['turn started', 'turn ended']);
  });
});
