import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/base/time.ts';
import type { LocalSpeechError } from '../../src/speech/local/local-speech-error.ts';
import { SphinxStream } from '../../src/speech/local/sphinx-stream.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { requirePeer } from '../support/require-peer.ts';
import { processesNaming, sphinxScript } from '../support/speech/sphinx-script.ts';
import { DIGITS_GRAMMAR, NUMBERS, SENTENCES } from '../support/speech/spoken-texts.ts';
import { joined, noise, silence, speech, throughG711 } from '../support/speech-signal.ts';
import { waitFor, within } from '../support/wait-for.ts';
import { wordErrorRate, wordErrors } from '../support/word-errors.ts';

const RATE_HZ = 16_000;
afterEach(() => vi.unstubAllEnvs());

interface Heard {
  readonly finals: readonly string[];
  readonly error: LocalSpeechError | null;
}

/** What one recognizer understands of a signal. */
async function recognized(signal: Int16Array, grammar: string | null): Promise<Heard> {
  const finals: string[] = [];
  const onFinal = (text: string) => void finals.push(text);
  let hasEnded = false;
  const { promise: ended, resolve } = Promise.withResolvers<LocalSpeechError | null>();
  const onEnd = (error: LocalSpeechError | null) => {
    hasEnded = true;
    resolve(error);
  };
  const stream = new SphinxStream(systemClock, { grammar, onFinal, onEnd });
  for (const second of secondsOf(signal)) {
    // Faster than a call, but no faster than it can be recognized.
    await waitFor('the recognizer to read', () => hasEnded || stream.backlogMs < 1_000);
    stream.hear(second);
  }
  stream.finish(60_000);
  return { finals, error: await within('the recognizer to end', ended) };
}

function secondsOf(signal: Int16Array): Int16Array[] {
  const count = Math.ceil(signal.length / RATE_HZ);
  return Array.from({ length: count }, (_, i) => signal.subarray(i * RATE_HZ, (i + 1) * RATE_HZ));
}

/** Texts with a second of a quiet line between them. */
function spoken(texts: readonly string[]): Int16Array {
  const pause = noise(1_000, RATE_HZ, -60);
  return joined(pause, ...texts.flatMap((text) => [speech(text, RATE_HZ), pause]));
}

async function errorRate(texts: readonly string[], grammar: string | null, signal: Int16Array) {
  const { finals, error } = await recognized(signal, grammar);
  expect(error).toBeNull();
  return wordErrorRate(texts, finals);
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

describe.skipIf(requirePeer('pocketsphinx_continuous', 'sox'))('local recognition', () => {
  it('understands what local synthesis says, and digits exactly', async () => {
    const wideband = await errorRate(SENTENCES, null, spoken(SENTENCES));
    const digits = await errorRate(NUMBERS, DIGITS_GRAMMAR, spoken(NUMBERS));
    console.log(`word errors at 16 kHz: ${percent(wideband)} of dictation, ${percent(digits)} of digits`);
    expect(wideband).toBeLessThan(0.15);
    expect(digits).toBe(0);
  });

  it('understands less of it over G.711', async () => {
    const narrowband = await errorRate(SENTENCES, null, throughG711(spoken(SENTENCES)));
    const digits = await errorRate(NUMBERS, DIGITS_GRAMMAR, throughG711(spoken(NUMBERS)));
    console.log(`word errors over G.711: ${percent(narrowband)} of dictation, ${percent(digits)} of digits`);
    expect(narrowband).toBeLessThan(0.8);
    expect(digits).toBeLessThan(0.6);
  });

  it('reports an utterance when the speaker pauses, while the call goes on', async () => {
    const { promise: final, resolve: onFinal } = Promise.withResolvers<string>();
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<LocalSpeechError | null>();
    const stream = new SphinxStream(systemClock, { grammar: null, onFinal, onEnd });
    stream.hear(spoken(SENTENCES.slice(0, 1)));
    const line = noise(100, RATE_HZ, -60);
    const pausing = setInterval(() => stream.backlogMs < 1_000 && stream.hear(line), 10);
    onTestFinished(() => clearInterval(pausing));
    expect(wordErrors(SENTENCES[0]!, await within('a final', final))).toBeLessThan(3);
    stream.kill();
    expect(await within('the end', ended)).toBeNull();
  });

  it('reports nothing for silence', async () => {
    expect(await recognized(silence(5_000, RATE_HZ), null)).toEqual({ finals: [], error: null });
    expect(await recognized(silence(0, RATE_HZ), null)).toEqual({ finals: [], error: null });
  });

  it('tells what is wrong with a grammar', async () => {
    const pause = silence(2_000, RATE_HZ);
    const unknownWord = await recognized(pause, DIGITS_GRAMMAR.replace('zero', 'zerrrro'));
    expect(unknownWord.error?.problem).toBe('failed');
    expect(unknownWord.error?.message).toContain('zerrrro');
    const noRule = await recognized(pause, '( one');
    expect(noRule.error?.message).toMatch(/ended: ERROR.* syntax error/);
  });

  it('refuses grammars that would read other files', async () => {
    const { error } = await recognized(silence(2_000, RATE_HZ), 'one; /* */ import /* */ <b.*>; <a> = two');
    expect(error?.message).toMatch(/ended: ERROR.* syntax error .* 'import'/);
  });

  it('fails when a grammar would take all memory', async () => {
    const doubled = Array.from({ length: 30 }, (_, i) => `<r${i + 1}> = <r${i}> <r${i}>;`).join(' ');
    const grammar = `<r30>; <r0> = one | two; ${doubled}`.replace(/;$/, '');
    const { error } = await recognized(silence(2_000, RATE_HZ), grammar);
    expect(error?.message).toMatch(/ended: calloc/);
  });

  it('leaves nothing behind', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'local-speech-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    vi.stubEnv('TMPDIR', folder);
    const ends: Promise<LocalSpeechError | null>[] = [];
    const streams = Array.from({ length: 8 }, () => {
      const { promise, resolve: onEnd } = Promise.withResolvers<LocalSpeechError | null>();
      ends.push(promise);
      return new SphinxStream(systemClock, { grammar: DIGITS_GRAMMAR, onFinal() {}, onEnd });
    });
    expect(readdirSync(folder).length).toBe(8);
    for (const stream of streams) stream.kill();
    expect(await within('all to end', Promise.all(ends))).toEqual(Array(8).fill(null));
    expect(readdirSync(folder)).toEqual([]);
    await waitFor('no process to be left', () => processesNaming(folder) === 0);
  });
});

describe('a recognizer that is not there or does not work', () => {
  it('is an error that names the package', () => {
    vi.stubEnv('PATH', '/nonexistent');
    expect(() => new SphinxStream(systemClock, { grammar: null, onFinal() {}, onEnd() {} })).toThrow(
      expect.objectContaining({
        problem: 'not_installed',
        message: expect.stringContaining('pocketsphinx-en-us'),
      }),
    );
  });

  it('is killed when it does not finish in time', async () => {
    const folder = sphinxScript('sleep 600');
    const clock = new ManualClock();
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<LocalSpeechError | null>();
    const stream = new SphinxStream(clock, { grammar: DIGITS_GRAMMAR, onFinal() {}, onEnd });
    stream.hear(silence(1_000, RATE_HZ));
    stream.finish(10_000);
    clock.advance(10_000);
    expect(await within('the end', ended)).toMatchObject({ problem: 'timed_out' });
    await waitFor('no process to be left', () => processesNaming(folder) === 0);
  });

  it('is killed when it reads nothing, before its audio fills the memory', async () => {
    sphinxScript('sleep 600');
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<LocalSpeechError | null>();
    const stream = new SphinxStream(new ManualClock(), { grammar: null, onFinal() {}, onEnd });
    let mostMs = 0;
    for (let second = 0; second < 60; second++) {
      stream.hear(silence(1_000, RATE_HZ));
      mostMs = Math.max(mostMs, stream.backlogMs);
    }
    expect(await within('the end', ended)).toMatchObject({ problem: 'timed_out' });
    expect(mostMs).toBeLessThan(6_000);
    stream.finish(10_000);
    stream.kill();
  });

  it('tells its exit code when it says nothing about the cause', async () => {
    sphinxScript('exit 3');
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<LocalSpeechError | null>();
    const stream = new SphinxStream(systemClock, { grammar: null, onFinal() {}, onEnd });
    const talking = setInterval(() => stream.hear(silence(100, RATE_HZ)), 10);
    onTestFinished(() => clearInterval(talking));
    const error = await within('the end', ended);
    expect(error?.message).toBe('The speech recognizer ended: exit code 3');
  });
});
