import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenAiSynthesizer } from '../../../../src/speech/tts/openai/openai-synthesizer.ts';
import { modelGone, outOfFunds, rateLimited, serverError } from '../../../fakes/openai/audio-errors.ts';
import { OpenAiAudio } from '../../../fakes/openai/audio-routes.ts';
import { SpeechHost } from '../../../fakes/speech-host.ts';
import { GAP_MS, WORD_MS } from '../../../fakes/tone-speech.ts';
import { SocketClock } from '../../../support/socket-clock.ts';
import { RecordedSynthesis } from '../recorded-synthesis.ts';

const BYTES_PER_WORD = (WORD_MS + GAP_MS) * 48;

let openai: OpenAiAudio;
let host: SpeechHost;
let clock: SocketClock;
let heard: RecordedSynthesis;
const synthesizers: OpenAiSynthesizer[] = [];

beforeEach(async () => {
  clock = new SocketClock();
  openai = new OpenAiAudio(undefined, clock);
  host = await SpeechHost.start(openai);
  heard = new RecordedSynthesis({ encoding: 's16le', sampleRateHz: 24_000 });
});

afterEach(async () => {
  await clock.settled(
    'the end',
    Promise.all(synthesizers.splice(0).map((synthesizer) => synthesizer.close())),
  );
  await host.stop();
});

function start(options: Readonly<Record<string, unknown>> = {}, key = openai.key): OpenAiSynthesizer {
  const synthesizer = new OpenAiSynthesizer(
    { url: host.url, key, options },
    { clock, random: () => 0 },
    heard,
  );
  synthesizers.push(synthesizer);
  return synthesizer;
}

function say(synthesizer: OpenAiSynthesizer, utteranceId: string, ...texts: readonly string[]): void {
  texts.forEach((text, place) => {
    synthesizer.speak({ utteranceId, text, isLast: place === texts.length - 1 });
  });
}

const settled = (count: number) => clock.until(`${count} utterances`, () => heard.settled === count);

describe('the OpenAI synthesizer', () => {
  it('speaks pieces in order, with one request each, and ends the utterance once', async () => {
    say(start(), 'u1', 'Alpha bravo.', 'Charlie.', 'Delta echo foxtrot.');
    await settled(1);
    expect(heard.ends).toEqual(['u1']);
    expect(heard.heard('u1')).toBe('alpha bravo charlie delta echo foxtrot');
    expect(openai.speeches.map(({ input }) => input)).toEqual([
      'Alpha bravo.',
      'Charlie.',
      'Delta echo foxtrot.',
    ]);
    expect(openai.offences).toEqual([]);
  });

  it('reports whole samples although the vendor cuts them in two', async () => {
    say(start(), 'u1', 'Alpha bravo.');
    await settled(1);
    const lengths = heard.chunksOf('u1').map(({ length }) => length);
    expect(lengths.length).toBeGreaterThan(1);
    expect(lengths.filter((length) => length % 2 !== 0)).toEqual([]);
    expect(heard.audioBytes('u1')).toBe(2 * BYTES_PER_WORD);
  });

  it('asks for the next piece while one is received, and for no more than that', async () => {
    openai.faults.push({ delayMs: 100 }, { delayMs: 100 }, { delayMs: 100 });
    say(start(), 'u1', 'Alpha.', 'Bravo.', 'Charlie.', 'Delta.');
    await settled(1);
    expect(openai.mostOpenRequests).toBe(2);
    expect(heard.heard('u1')).toBe('alpha bravo charlie delta');
  });

  it('keeps the order when the later piece is answered first', async () => {
    openai.faults.push({ delayMs: 200 }, null);
    say(start(), 'u1', 'Alpha.', 'Bravo.');
    await settled(1);
    expect(heard.heard('u1')).toBe('alpha bravo');
  });

  it('sends the options of the voice, and none that is not set', async () => {
    say(start({ voice: 'marin', instructions: 'Whisper.', speed: 1.5 }), 'u1', 'Alpha.');
    await settled(1);
    say(start(), 'u2', 'Bravo.');
    await settled(2);
    expect(openai.speeches).toEqual([
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
    openai.faults.push({ stallAfterBytes: 9_000 });
    say(synthesizer, 'u1', 'Alpha bravo.', 'Charlie.');
    await clock.until('audio', () => heard.audioBytes('u1') > 0);
    synthesizer.cancel('u1');
    const before = heard.audioBytes('u1');
    say(synthesizer, 'u2', 'Delta.');
    await settled(1);
    await clock.until('the aborted request', () => openai.abortedRequests > 0);
    expect(heard.ends).toEqual(['u2']);
    expect(heard.audioBytes('u1')).toBe(before);
    expect(heard.heard('u2')).toBe('delta');
  });

  it('cancels one utterance and goes on with the next', async () => {
    const synthesizer = start();
    openai.faults.push({ delayMs: 300 });
    say(synthesizer, 'u1', 'Alpha.');
    say(synthesizer, 'u2', 'Bravo.');
    synthesizer.cancel('u1');
    await settled(1);
    expect(heard.ends).toEqual(['u2']);
    expect(heard.audioBytes('u1')).toBe(0);
  });

  it.each([
    ['too many requests', rateLimited()],
    ['too many requests, with a time to wait', rateLimited(1)],
    ['a fault of the server', serverError()],
  ])('sends a request again after %s', async (_name, error) => {
    openai.faults.push({ error });
    say(start(), 'u1', 'Alpha.');
    await clock.until('the refusal', () => openai.speeches.length === 1);
    await settled(1);
    expect(heard.heard('u1')).toBe('alpha');
    expect(heard.reconnections).toBe(1);
  });

  it('tries again until the utterance is cancelled, and says so once', async () => {
    for (let tries = 0; tries < 20; tries++) openai.faults.push({ error: rateLimited(0) });
    const synthesizer = start();
    say(synthesizer, 'u1', 'Alpha.');
    await clock.until('some tries', () => openai.speeches.length > 5);
    synthesizer.cancel('u1');
    openai.faults.length = 0;
    say(synthesizer, 'u2', 'Bravo.');
    await settled(1);
    expect(heard.heard('u2')).toBe('bravo');
    expect(heard.disconnections).toEqual([
      { kind: 'rate_limited', words: 'Rate limit reached for requests. Please try again later.' },
    ]);
    expect(heard.reconnections).toBe(1);
  });

  it('does not wait for a vendor that asks for a minute', async () => {
    openai.faults.push({ error: rateLimited(60) });
    say(start(), 'u1', 'Alpha.');
    await settled(1);
    expect(heard.failures[0]?.fault.kind).toBe('rate_limited');
  });

  it('fails the utterance when the vendor breaks off in the middle', async () => {
    openai.faults.push({ cutAfterBytes: 9_000 });
    const synthesizer = start();
    say(synthesizer, 'u1', 'Alpha bravo.', 'Charlie.');
    await settled(1);
    expect(heard.failures[0]).toMatchObject({ utteranceId: 'u1', fault: { kind: 'unreachable' } });
    say(synthesizer, 'u2', 'Delta.');
    await settled(2);
    expect(heard.heard('u2')).toBe('delta');
  });

  it('fails the utterance when the vendor falls silent in the middle', async () => {
    openai.faults.push({ stallAfterBytes: 9_000 });
    say(start(), 'u1', 'Alpha bravo.');
    await clock.until('audio', () => heard.audioBytes('u1') >= 8_998);
    clock.leap(5_000);
    await settled(1);
    expect(heard.failures).toEqual([
      {
        utteranceId: 'u1',
        fault: { kind: 'unreachable', words: 'The request failed: nothing came for 5 s' },
      },
    ]);
    await clock.until('the closed connection', () => openai.openRequests === 0);
  });

  it('tries again when nothing comes for 5 s', async () => {
    openai.faults.push({ delayMs: 60_000 });
    say(start(), 'u1', 'Alpha.');
    await clock.until('the request', () => openai.speeches.length === 1);
    clock.leap(5_000);
    await settled(1);
    expect(heard.heard('u1')).toBe('alpha');
  });

  it.each(['audio/mpeg', 'text/event-stream', 'application/json'])(
    'does not play %s as PCM',
    async (contentType) => {
      openai.faults.push({ contentType });
      say(start(), 'u1', 'Alpha.');
      await settled(1);
      expect(heard.failures[0]?.fault.words).toBe(`The audio came as ${contentType} instead of PCM`);
      expect(heard.audioBytes('u1')).toBe(0);
    },
  );

  it('ends the session when the account is out of funds', async () => {
    openai.faults.push({ error: outOfFunds() });
    const synthesizer = start();
    say(synthesizer, 'u1', 'Alpha.', 'Bravo.');
    await settled(1);
    expect(heard.failures).toEqual([
      {
        utteranceId: null,
        fault: {
          kind: 'out_of_funds',
          words: 'You exceeded your current quota, please check your plan and billing details.',
        },
      },
    ]);
    await clock.until('closed connections', () => host.openSockets === 0);
  });

  it('says what to do when the model is gone', async () => {
    openai.faults.push({ error: modelGone('gpt-4o-mini-tts') });
    say(start(), 'u1', 'Alpha.');
    await settled(1);
    expect(heard.failures).toEqual([
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
    expect(heard.failures[0]).toMatchObject({ utteranceId: null, fault: { kind: 'bad_key' } });
    expect(heard.failures[0]?.fault.words).toMatch(/^Incorrect API key provided: \[key\]\./);
    expect(JSON.stringify(heard)).not.toContain(key);
  });

  it('fails one utterance when its text is refused', async () => {
    const synthesizer = start();
    say(synthesizer, 'u1', 'alpha '.repeat(1_000));
    await settled(1);
    expect(heard.failures[0]).toMatchObject({ utteranceId: 'u1', fault: { kind: 'refused' } });
    say(synthesizer, 'u2', 'Bravo.');
    await settled(2);
    expect(heard.heard('u2')).toBe('bravo');
  });

  it('reports an address where nobody listens', async () => {
    const synthesizer = start();
    await host.stop();
    say(synthesizer, 'u1', 'Alpha.');
    await clock.until('the fault', () => heard.disconnections.length > 0);
    expect(heard.disconnections).toEqual([
      { kind: 'unreachable', words: 'The request failed: ECONNREFUSED' },
    ]);
    host = await SpeechHost.start(openai);
  });

  it('refuses more than 64 pieces', () => {
    const synthesizer = start();
    say(synthesizer, 'u1', ...Array<string>(65).fill('Alpha.'));
    expect(heard.failures[0]?.fault.words).toBe('More than 64 sentences are waiting to be spoken');
  });

  it('has no connection open when it is closed, and reports nothing', async () => {
    const synthesizer = start();
    openai.faults.push({ stallAfterBytes: 9_000 });
    say(synthesizer, 'u1', 'Alpha bravo.', 'Charlie.');
    await clock.until('audio', () => heard.audioBytes('u1') > 0);
    await clock.settled('close', synthesizer.close(), 2_000);
    await clock.until('closed connections', () => host.openSockets === 0);
    expect(heard.settled).toBe(0);
  });

  it('uses open connections again', async () => {
    const synthesizer = start();
    say(synthesizer, 'u1', 'Alpha.');
    await settled(1);
    const connections = host.openSockets;
    say(synthesizer, 'u2', 'Bravo.');
    await settled(2);
    expect(host.openSockets).toBe(connections);
  });
});
