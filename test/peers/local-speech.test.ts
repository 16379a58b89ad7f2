import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/base/time.ts';
import type { LocalSpeechError } from '../../src/speech/local/local-speech-error.ts';
import { LocalStt } from '../../src/speech/local/local-stt.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { requirePeer } from '../support/require-peer.ts';
import { joined, noise, silence, speech, throughG711 } from '../support/speech-signal.ts';
import { waitFor, within } from '../support/wait-for.ts';
import { wordErrorRate, wordErrors } from '../support/word-errors.ts';

const RATE_HZ = 16_000;
const SENTENCES = [
  'the weather is nice today',
  'please call me back tomorrow morning',
  'your order will arrive on thursday',
  'i would like to speak with the manager',
  'the train leaves in twenty minutes',
  'can you help me with my account',
  'we are open from nine to five',
  'thank you very much for your patience',
  'the meeting has been moved to next week',
  'what is the name of your company',
];
const NUMBERS = [
  'zero one two three four',
  'five six seven eight nine',
  'four seven one two',
  'nine one one three five',
  'eight zero two six four',
  'three three seven one',
  'two four six eight zero',
  'one three five seven nine',
  'six six zero five',
  'seven eight nine one two',
];
const DIGITS = `#JSGF V1.0;
grammar digits;
public <digits> = ( zero | one | two | three | four | five | six | seven | eight | nine )+;
`;

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
  const stream = new LocalStt(systemClock).open({ grammar, onFinal, onEnd });
  for (const second of secondsOf(signal)) {
    // Faster than a call, but no faster than it can be recognized.
    await waitFor('the recognizer to read', () => hasEnded || stream.backlogMs < 1_000);
    stream.hear(second);
  }
  stream.finish();
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
    const digits = await errorRate(NUMBERS, DIGITS, spoken(NUMBERS));
    console.log(`word errors at 16 kHz: ${percent(wideband)} of dictation, ${percent(digits)} of digits`);
    expect(wideband).toBeLessThan(0.15);
    expect(digits).toBe(0);
  });

  it('understands less of it over G.711', async () => {
    const narrowband = await errorRate(SENTENCES, null, throughG711(spoken(SENTENCES)));
    const digits = await errorRate(NUMBERS, DIGITS, throughG711(spoken(NUMBERS)));
    console.log(`word errors over G.711: ${percent(narrowband)} of dictation, ${percent(digits)} of digits`);
    expect(narrowband).toBeLessThan(0.8);
    expect(digits).toBeLessThan(0.6);
  });

  it('reports an utterance when the speaker pauses, while the call goes on', async () => {
    const stt = new LocalStt(systemClock);
    const { promise: final, resolve: onFinal } = Promise.withResolvers<string>();
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<LocalSpeechError | null>();
    const stream = stt.open({ grammar: null, onFinal, onEnd });
    stream.hear(spoken(SENTENCES.slice(0, 1)));
    const line = noise(100, RATE_HZ, -60);
    const pausing = setInterval(() => stream.hear(line), 10);
    onTestFinished(() => clearInterval(pausing));
    expect(wordErrors(SENTENCES[0]!, await within('a final', final))).toBeLessThan(3);
    expect(stt.listening).toBe(1);
    stream.kill();
    expect(await within('the end', ended)).toBeNull();
    expect(stt.listening).toBe(0);
  });

  it('reports nothing for silence', async () => {
    expect(await recognized(silence(5_000, RATE_HZ), null)).toEqual({ finals: [], error: null });
    expect(await recognized(silence(0, RATE_HZ), null)).toEqual({ finals: [], error: null });
  });

  it('tells what is wrong with a grammar', async () => {
    const pause = silence(2_000, RATE_HZ);
    const unknownWord = await recognized(pause, DIGITS.replace('zero', 'zerrrro'));
    expect(unknownWord.error?.problem).toBe('failed');
    expect(unknownWord.error?.message).toContain('zerrrro');
    const noGrammar = await recognized(pause, 'no grammar at all');
    expect(noGrammar.error?.message).toMatch(/ended: (ERROR|FATAL)/);
  });

  it('refuses grammars that would read other files', () => {
    const stt = new LocalStt(systemClock);
    const grammar = '#JSGF V1.0; grammar a; /* */ import /* */ <b.*>; public <a> = one;';
    expect(() => stt.open({ grammar, onFinal() {}, onEnd() {} })).toThrow('import');
    expect(stt.listening).toBe(0);
  });

  it('refuses more voices than it may recognize, and ends them all when it is closed', async () => {
    const folder = temporaryFolder();
    const stt = new LocalStt(systemClock);
    const ended = Array.from({ length: 8 }, () => {
      const { promise, resolve: onEnd } = Promise.withResolvers<LocalSpeechError | null>();
      stt.open({ grammar: DIGITS, onFinal() {}, onEnd });
      return promise;
    });
    expect(() => stt.open({ grammar: null, onFinal() {}, onEnd() {} })).toThrow('Too many voices');
    expect(stt.refusals).toBe(1);
    expect(readdirSync(folder).length).toBe(8);
    stt.close();
    expect(await within('all to end', Promise.all(ended))).toEqual(Array(8).fill(null));
    expect(stt.listening).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
    await waitFor('no process to be left', () => processesNaming(folder) === 0);
  });
});

describe('a recognizer that is not there or does not work', () => {
  it('is an error that names the package', () => {
    vi.stubEnv('PATH', '/nonexistent');
    expect(() => new LocalStt(systemClock).open({ grammar: null, onFinal() {}, onEnd() {} })).toThrow(
      expect.objectContaining({
        problem: 'not_installed',
        message: expect.stringContaining('pocketsphinx-en-us'),
      }),
    );
  });

  it('is killed when it does not finish in time', async () => {
    const folder = useInstead('sleep 600');
    const clock = new ManualClock();
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<LocalSpeechError | null>();
    const stream = new LocalStt(clock).open({ grammar: DIGITS, onFinal() {}, onEnd });
    stream.hear(silence(1_000, RATE_HZ));
    stream.finish();
    clock.advance(10_000);
    expect(await within('the end', ended)).toMatchObject({ problem: 'timed_out' });
    await waitFor('no process to be left', () => processesNaming(folder) === 0);
  });

  it('is killed when it reads nothing, and audio is dropped before memory runs out', async () => {
    useInstead('sleep 600');
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<LocalSpeechError | null>();
    const stream = new LocalStt(new ManualClock()).open({ grammar: null, onFinal() {}, onEnd });
    for (let second = 0; second < 60; second++) stream.hear(silence(1_000, RATE_HZ));
    expect(await within('the end', ended)).toMatchObject({ problem: 'timed_out' });
    expect(stream.droppedMs).toBeGreaterThanOrEqual(15_000);
    stream.finish();
    stream.kill();
  });

  it('tells its exit code when it says nothing about the cause', async () => {
    useInstead('exit 3');
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<LocalSpeechError | null>();
    const stream = new LocalStt(systemClock).open({ grammar: null, onFinal() {}, onEnd });
    const talking = setInterval(() => stream.hear(silence(100, RATE_HZ)), 10);
    onTestFinished(() => clearInterval(talking));
    const error = await within('the end', ended);
    expect(error?.message).toBe('The speech recognizer ended: exit code 3');
  });
});

/** The folder for temporary files while a test runs. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'local-speech-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv('TMPDIR', folder);
  return folder;
}

/** Puts a shell script in the place of the recognizer. Returns its folder. */
function useInstead(script: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'pocketsphinx_continuous'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  return folder;
}

function processesNaming(text: string): number {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(text)).length;
}

function commandOf(pid: string): string {
  try {
    return readFileSync(join('/proc', pid, 'cmdline'), 'utf8');
  } catch {
    return '';
  }
}
