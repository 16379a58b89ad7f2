import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SegmentLimits, Utterance } from '../../../../src/speech/segments/utterance-segmenter.ts';
import { OpenAiRecognizer, type Segmenter } from '../../../../src/speech/vendors/openai/openai-recognizer.ts';
import { modelGone, outOfFunds, rateLimited, serverError } from '../../../fakes/openai/audio-errors.ts';
import { OpenAiAudio } from '../../../fakes/openai/audio-routes.ts';
import { silence, toneSpeech } from '../../../fakes/tone-speech.ts';
import { wavFile } from '../../../support/wav.ts';
import { RecordedRecognition } from '../recorded-recognition.ts';
import { type ClientOptions, KEY, VendorWorld } from '../vendor-world.ts';

const FORMAT = { encoding: 's16le', sampleRateHz: 16_000 } as const;
const FRAME_MS = 20;
/** More than between two words. */
const PAUSE_MS = 200;

/** Ends an utterance at silence, without pre-roll. */
class SilenceSegmenter implements Segmenter {
  #samples: number[] = [];
  #heardMs = 0;
  #quietMs = 0;

  hear(samples: Int16Array): Utterance | null {
    this.#heardMs += FRAME_MS;
    const isQuiet = samples.every((sample) => sample === 0);
    this.#quietMs = isQuiet ? this.#quietMs + FRAME_MS : 0;
    if (this.#samples.length > 0 || !isQuiet) this.#samples.push(...samples);
    return this.#quietMs >= PAUSE_MS ? this.close() : null;
  }

  close(): Utterance | null {
    const samples = Int16Array.from(this.#samples.splice(0));
    if (samples.length === 0) return null;
    const startMs = this.#heardMs - samples.length / 16;
    return {
      wav: wavFile({ sampleRateHz: FORMAT.sampleRateHz, channels: [samples] }),
      startMs,
      endMs: this.#heardMs,
    };
  }
}

let limits: SegmentLimits | null;
let world: VendorWorld<OpenAiAudio, OpenAiRecognizer, RecordedRecognition>;

beforeEach(async () => {
  limits = null;
  const newSegmenter = (_rateHz: number, wanted: SegmentLimits): Segmenter => {
    limits = wanted;
    return new SilenceSegmenter();
  };
  world = await VendorWorld.start({
    vendor: (clock) => new OpenAiAudio(KEY, clock),
    client: (preset, rateHz, deps, recorded) =>
      new OpenAiRecognizer(preset, rateHz, { ...deps, newSegmenter }, recorded),
    recorded: new RecordedRecognition(),
  });
});

afterEach(() => world.stop());

const start = (options: ClientOptions['options'] = {}, key = KEY) => world.connect({ options, key });

/** Says each text by itself. */
function hear(recognizer: OpenAiRecognizer, ...texts: readonly string[]): void {
  const audio = Buffer.concat(texts.flatMap((text) => [toneSpeech(text, FORMAT), silence(PAUSE_MS, FORMAT)]));
  const chunkBytes = 32 * recognizer.chunkMs;
  for (let at = 0; at < audio.length; at += chunkBytes) recognizer.hear(audio.subarray(at, at + chunkBytes));
}

const finals = (count: number) =>
  world.clock.until(`${count} finals`, () => world.recorded.finals.length === count);

describe('the OpenAI recognizer', () => {
  it('transcribes each utterance, with its times and language', async () => {
    hear(start(), 'alpha bravo', 'charlie');
    await finals(2);
    expect(world.recorded.finals).toEqual([
      { text: 'alpha bravo', startMs: 0, endMs: 700, confidence: null, language: 'en', speaker: null },
      { text: 'charlie', startMs: 800, endMs: 1_200, confidence: null, language: 'en', speaker: null },
    ]);
    expect(world.vendor.offences).toEqual([]);
  });

  it('tells the segmenter how to cut', () => {
    start({ end_silence_ms: 800, max_segment_s: 30 });
    expect(limits).toEqual({ preRollMs: 500, endAfterMs: 800, maxMs: 30_000, minMs: 1_000 });
  });

  it('reports results in the order of speaking although the later one is answered first', async () => {
    world.vendor.faults.push({ delayMs: 300 }, null, { delayMs: 100 }, null);
    hear(start(), 'alpha', 'bravo', 'charlie', 'delta');
    await finals(4);
    expect(world.recorded.texts).toEqual(['alpha', 'bravo', 'charlie', 'delta']);
    expect(world.vendor.mostOpenRequests).toBe(2);
  });

  it('sends the options, and none that is not set', async () => {
    const options = { language: 'de', prompt: 'A call.', keyterms: ['Zulu', 'Kilo'], temperature: 0.2 };
    hear(start(options), 'alpha');
    await finals(1);
    hear(start(), 'bravo');
    await finals(2);
    expect(world.vendor.transcriptions.map(({ fields }) => fields)).toEqual([
      {
        model: ['gpt-transcribe'],
        response_format: ['json'],
        language: ['de'],
        prompt: ['A call.'],
        temperature: ['0.2'],
        'keywords[]': ['Zulu', 'Kilo'],
      },
      { model: ['gpt-transcribe'], response_format: ['json'] },
    ]);
  });

  it('leaves out key terms where the model refuses them, and takes the language from the options', async () => {
    hear(start({ model: 'gpt-4o-transcribe', language: 'fr', keyterms: ['Zulu'] }), 'alpha');
    await finals(1);
    expect(world.recorded.finals[0]?.language).toBe('fr');
    expect(world.vendor.offences).toEqual([]);
  });

  it('passes over an utterance that OpenAI finds too short', async () => {
    const recognizer = start();
    const click = new Uint8Array(16 * FRAME_MS).fill(1);
    recognizer.hear(Buffer.concat([click, silence(20, FORMAT)]));
    await world.clock.settled('close', recognizer.close());
    expect(world.recorded.finals).toEqual([]);
    expect(world.recorded.failures).toEqual([]);
    expect(world.vendor.offences).toEqual(['Audio file is too short. Minimum audio length is 0.1 seconds.']);
  });

  it.each([
    ['too many requests', { error: rateLimited() }],
    ['a fault of the server', { error: serverError() }],
    ['a lost connection', { cutAfterBytes: 5 }],
  ])('sends an utterance again after %s, and keeps the order', async (_name, fault) => {
    world.vendor.faults.push(fault);
    hear(start(), 'alpha', 'bravo', 'charlie');
    await finals(3);
    expect(world.recorded.texts).toEqual(['alpha', 'bravo', 'charlie']);
    expect(world.recorded.disconnections.length).toBe(1);
    expect(world.recorded.reconnections).toBe(1);
  });

  it('loses an utterance after five tries, and goes on', async () => {
    for (let tries = 0; tries < 5; tries++) world.vendor.faults.push({ error: rateLimited(0) });
    const recognizer = start();
    hear(recognizer, 'alpha');
    await world.clock.until('the loss', () => recognizer.lostSegments === 1);
    hear(recognizer, 'bravo');
    await finals(1);
    expect(world.recorded.texts).toEqual(['bravo']);
    expect(world.recorded.failures).toEqual([]);
  });

  it('loses the oldest utterance that waits when there are more than eight', async () => {
    world.vendor.faults.push({ delayMs: 200 }, { delayMs: 200 });
    const recognizer = start();
    const words = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel', 'india'];
    hear(recognizer, ...words);
    expect(recognizer.lostSegments).toBe(1);
    await finals(8);
    expect(world.recorded.texts).toEqual(words.filter((word) => word !== 'charlie'));
  });

  it.each([
    ['the account is out of funds', { error: outOfFunds() }, 'out_of_funds'],
    ['the model is gone', { error: modelGone('gpt-transcribe') }, 'refused'],
  ])('ends the session when %s', async (_name, fault, kind) => {
    world.vendor.faults.push(fault);
    hear(start(), 'alpha', 'bravo');
    await world.clock.until('the failure', () => world.recorded.failures.length > 0);
    expect(world.recorded.failures).toMatchObject([{ kind }]);
    await world.clock.until('closed connections', () => world.host.openSockets === 0);
    expect(world.recorded.finals).toEqual([]);
  });

  it('hides a wrong key, which OpenAI repeats', async () => {
    const key = 'sk-proj-WrongKey0123456789';
    hear(start({}, key), 'alpha');
    await world.clock.until('the failure', () => world.recorded.failures.length > 0);
    expect(world.recorded.failures).toMatchObject([{ kind: 'bad_key' }]);
    expect(JSON.stringify(world.recorded)).not.toContain(key);
  });

  it('asks for what was said last when it is closed, and then has no connection open', async () => {
    const recognizer = start();
    hear(recognizer, 'alpha');
    recognizer.hear(toneSpeech('bravo', FORMAT));
    await world.clock.settled('close', recognizer.close(), 2_000);
    expect(world.recorded.texts).toEqual(['alpha', 'bravo']);
    await world.clock.until('closed connections', () => world.host.openSockets === 0);
    hear(recognizer, 'charlie');
    expect(world.vendor.transcriptions.length).toBe(2);
  });

  it('is closed within 2 s although the vendor does not answer', async () => {
    world.vendor.faults.push({ delayMs: 60_000 });
    const recognizer = start();
    hear(recognizer, 'alpha');
    await world.clock.until('the request', () => world.vendor.transcriptions.length === 1);
    await world.clock.settled('close', recognizer.close(), 2_000);
    await world.clock.until('closed connections', () => world.host.openSockets === 0);
    expect(world.recorded.finals).toEqual([]);
  });
});
