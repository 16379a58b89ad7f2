import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SegmentLimits, Utterance } from '../../../../src/speech/segments/utterance-segmenter.ts';
import { OpenAiRecognizer, type Segmenter } from '../../../../src/speech/stt/openai/openai-recognizer.ts';
import { modelGone, outOfFunds, rateLimited, serverError } from '../../../fakes/openai/audio-errors.ts';
import { OpenAiAudio } from '../../../fakes/openai/audio-routes.ts';
import { SpeechHost } from '../../../fakes/speech-host.ts';
import { silence, toneSpeech } from '../../../fakes/tone-speech.ts';
import { SocketClock } from '../../../support/socket-clock.ts';
import { wavFile } from '../../../support/wav.ts';
import { RecordedRecognition } from '../recorded-recognition.ts';

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

let openai: OpenAiAudio;
let host: SpeechHost;
let clock: SocketClock;
let limits: SegmentLimits | null;
let recorded: RecordedRecognition;
const recognizers: OpenAiRecognizer[] = [];

beforeEach(async () => {
  clock = new SocketClock();
  openai = new OpenAiAudio(undefined, clock);
  host = await SpeechHost.start(openai);
  limits = null;
  recorded = new RecordedRecognition();
});

afterEach(async () => {
  await clock.settled('the end', Promise.all(recognizers.splice(0).map((recognizer) => recognizer.close())));
  await host.stop();
});

function start(options: Readonly<Record<string, unknown>> = {}, key = openai.key): OpenAiRecognizer {
  const newSegmenter = (_rateHz: number, wanted: SegmentLimits): Segmenter => {
    limits = wanted;
    return new SilenceSegmenter();
  };
  const deps = { clock, random: () => 0, newSegmenter };
  const recognizer = new OpenAiRecognizer(
    { url: host.url, key, options },
    FORMAT.sampleRateHz,
    deps,
    recorded,
  );
  recognizers.push(recognizer);
  return recognizer;
}

/** Says each text by itself. */
function hear(recognizer: OpenAiRecognizer, ...texts: readonly string[]): void {
  const audio = Buffer.concat(texts.flatMap((text) => [toneSpeech(text, FORMAT), silence(PAUSE_MS, FORMAT)]));
  const chunkBytes = 32 * recognizer.chunkMs;
  for (let at = 0; at < audio.length; at += chunkBytes) recognizer.hear(audio.subarray(at, at + chunkBytes));
}

const finals = (count: number) => clock.until(`${count} finals`, () => recorded.finals.length === count);

describe('the OpenAI recognizer', () => {
  it('transcribes each utterance, with its times and language', async () => {
    hear(start(), 'alpha bravo', 'charlie');
    await finals(2);
    expect(recorded.finals).toEqual([
      { text: 'alpha bravo', startMs: 0, endMs: 700, confidence: null, language: 'en', speaker: null },
      { text: 'charlie', startMs: 800, endMs: 1_200, confidence: null, language: 'en', speaker: null },
    ]);
    expect(openai.offences).toEqual([]);
  });

  it('tells the segmenter how to cut', () => {
    start({ end_silence_ms: 800, max_segment_s: 30 });
    expect(limits).toEqual({ preRollMs: 500, endAfterMs: 800, maxMs: 30_000, minVoicedMs: 250 });
  });

  it('reports results in the order of speaking although the later one is answered first', async () => {
    openai.faults.push({ delayMs: 300 }, null, { delayMs: 100 }, null);
    hear(start(), 'alpha', 'bravo', 'charlie', 'delta');
    await finals(4);
    expect(recorded.texts).toEqual(['alpha', 'bravo', 'charlie', 'delta']);
    expect(openai.mostOpenRequests).toBe(2);
  });

  it('sends the options, and none that is not set', async () => {
    const options = { language: 'de', prompt: 'A call.', keyterms: ['Zulu', 'Kilo'], temperature: 0.2 };
    hear(start(options), 'alpha');
    await finals(1);
    hear(start(), 'bravo');
    await finals(2);
    expect(openai.transcriptions.map(({ fields }) => fields)).toEqual([
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
    expect(recorded.finals[0]?.language).toBe('fr');
    expect(openai.offences).toEqual([]);
  });

  it('passes over an utterance that OpenAI finds too short', async () => {
    const recognizer = start();
    const click = new Uint8Array(16 * FRAME_MS).fill(1);
    recognizer.hear(Buffer.concat([click, silence(20, FORMAT)]));
    await clock.settled('close', recognizer.close());
    expect(recorded.finals).toEqual([]);
    expect(recorded.failures).toEqual([]);
    expect(openai.offences).toEqual(['Audio file is too short. Minimum audio length is 0.1 seconds.']);
  });

  it.each([
    ['too many requests', { error: rateLimited() }],
    ['a fault of the server', { error: serverError() }],
    ['a lost connection', { cutAfterBytes: 5 }],
  ])('sends an utterance again after %s, and keeps the order', async (_name, fault) => {
    openai.faults.push(fault);
    hear(start(), 'alpha', 'bravo', 'charlie');
    await finals(3);
    expect(recorded.texts).toEqual(['alpha', 'bravo', 'charlie']);
    expect(recorded.disconnections.length).toBe(1);
    expect(recorded.reconnections).toBe(1);
  });

  it('loses an utterance after five tries, and goes on', async () => {
    for (let tries = 0; tries < 5; tries++) openai.faults.push({ error: rateLimited(0) });
    const recognizer = start();
    hear(recognizer, 'alpha');
    await clock.until('the loss', () => recognizer.lostSegments === 1);
    hear(recognizer, 'bravo');
    await finals(1);
    expect(recorded.texts).toEqual(['bravo']);
    expect(recorded.failures).toEqual([]);
  });

  it('loses the oldest utterance that waits when there are more than eight', async () => {
    openai.faults.push({ delayMs: 200 }, { delayMs: 200 });
    const recognizer = start();
    const words = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel', 'india'];
    hear(recognizer, ...words);
    expect(recognizer.lostSegments).toBe(1);
    await finals(8);
    expect(recorded.texts).toEqual(words.filter((word) => word !== 'charlie'));
  });

  it.each([
    ['the account is out of funds', { error: outOfFunds() }, 'out_of_funds'],
    ['the model is gone', { error: modelGone('gpt-transcribe') }, 'refused'],
  ])('ends the session when %s', async (_name, fault, kind) => {
    openai.faults.push(fault);
    hear(start(), 'alpha', 'bravo');
    await clock.until('the failure', () => recorded.failures.length > 0);
    expect(recorded.failures).toMatchObject([{ kind }]);
    await clock.until('closed connections', () => host.openSockets === 0);
    expect(recorded.finals).toEqual([]);
  });

  it('hides a wrong key, which OpenAI repeats', async () => {
    const key = 'sk-proj-WrongKey0123456789';
    hear(start({}, key), 'alpha');
    await clock.until('the failure', () => recorded.failures.length > 0);
    expect(recorded.failures).toMatchObject([{ kind: 'bad_key' }]);
    expect(JSON.stringify(recorded)).not.toContain(key);
  });

  it('asks for what was said last when it is closed, and then has no connection open', async () => {
    const recognizer = start();
    hear(recognizer, 'alpha');
    recognizer.hear(toneSpeech('bravo', FORMAT));
    await clock.settled('close', recognizer.close(), 2_000);
    expect(recorded.texts).toEqual(['alpha', 'bravo']);
    await clock.until('closed connections', () => host.openSockets === 0);
    hear(recognizer, 'charlie');
    expect(openai.transcriptions.length).toBe(2);
  });

  it('is closed within 2 s although the vendor does not answer', async () => {
    openai.faults.push({ delayMs: 60_000 });
    const recognizer = start();
    hear(recognizer, 'alpha');
    await clock.until('the request', () => openai.transcriptions.length === 1);
    await clock.settled('close', recognizer.close(), 2_000);
    await clock.until('closed connections', () => host.openSockets === 0);
    expect(recorded.finals).toEqual([]);
  });
});
