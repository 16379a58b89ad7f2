import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/time.ts';
import { NoiseSuppressor } from '../../src/speech/hearing/noise-suppressor.ts';
import type { LocalSpeechError } from '../../src/speech/local/local-speech-error.ts';
import { SphinxStream } from '../../src/speech/local/sphinx-stream.ts';
import { requirePeer } from '../support/require-peer.ts';
import { framesOf, joined, mixed, silence, speech } from '../support/speech-signal.ts';
import { babble, colouredNoise, labelledVoice } from '../support/voice-noise.ts';
import { waitFor } from '../support/wait-for.ts';
import { wordErrorRate } from '../support/word-errors.ts';

const RATE_HZ = 16_000;
const SENTENCES = [
  ...['please call me back tomorrow morning', 'i would like to change my address'],
  ...['the meeting starts at nine in the office', 'can you tell me the price of this room'],
  ...['we have received your letter last week', 'my name is john and i live in london'],
  ...['she wants to speak with the manager now', 'the train to boston leaves in ten minutes'],
];
const VOICE = labelledVoice(
  SENTENCES.map((text) => speech(text, RATE_HZ)),
  RATE_HZ,
);
const LINE = joined(VOICE.samples, silence(2_000, RATE_HZ));
const OTHERS = SENTENCES.flatMap((text) => [speech(text, RATE_HZ, 'awb'), speech(text, RATE_HZ, 'kal16')]);
type Noise = 'pink' | 'white' | 'babble';
/** How far behind the voice it is, in dB, and the share of the errors that may be left. Other voices are voices: one is not taken for noise. */
const NOISES: readonly (readonly [Noise, readonly number[], number])[] = [
  ['pink', [20, 10, 5, 0], 0.85],
  ['white', [20, 10, 5, 0], 0.85],
  ['babble', [20], 1],
];

function noisy(kind: Noise, snrDb: number): Int16Array {
  const dbfs = VOICE.activeDbfs - snrDb;
  const ms = (LINE.length * 1_000) / RATE_HZ;
  const behind =
    kind === 'babble'
      ? babble(OTHERS, LINE.length, dbfs)
      : colouredNoise(kind, ms, RATE_HZ, { dbfs, seed: 1 });
  return mixed(LINE, behind);
}

/** What pocketsphinx understands of a line. */
async function understood(line: Int16Array): Promise<string[]> {
  const finals: string[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<LocalSpeechError | null>();
  const stream = new SphinxStream(systemClock, {
    grammar: null,
    onFinal: (text) => finals.push(text),
    onEnd: resolve,
  });
  for (let at = 0; at < line.length; at += RATE_HZ) {
    await waitFor('the recognizer to read', () => stream.backlogMs < 1_000);
    stream.hear(line.subarray(at, at + RATE_HZ));
  }
  stream.finish(60_000);
  expect(await ended).toBeNull();
  return finals;
}

function suppressed(line: Int16Array): Int16Array {
  const suppressor = new NoiseSuppressor(RATE_HZ);
  const frames = framesOf(line, RATE_HZ).map((frame) => suppressor.process(frame).slice());
  suppressor.close();
  return joined(...frames);
}

/** Share of the words that are wrong, with the noise and without. */
async function errors(line: Int16Array): Promise<readonly [number, number]> {
  const of = async (signal: Int16Array): Promise<number> =>
    wordErrorRate(SENTENCES, await understood(signal));
  return [await of(line), await of(suppressed(line))];
}

const asTold = (share: number): string => `${(100 * share).toFixed(0)} %`;

describe.skipIf(requirePeer('pocketsphinx_continuous'))('words that pocketsphinx gets wrong', () => {
  it('are no more without any noise', async () => {
    const [asItIs, without] = await errors(LINE);
    console.log(`no noise: ${asTold(asItIs)}, suppressed ${asTold(without)}`);
    expect(asItIs).toBeLessThan(0.2);
    expect(without).toBeLessThanOrEqual(asItIs + 0.05);
  });

  it.each(NOISES)('in %s noise are fewer where it is suppressed', async (kind, levels, mostLeft) => {
    const sums = [0, 0];
    for (const snrDb of levels) {
      const [asItIs, without] = await errors(noisy(kind, snrDb));
      console.log(`${kind} ${snrDb} dB: ${asTold(asItIs)}, suppressed ${asTold(without)}`);
      sums[0]! += asItIs;
      sums[1]! += without;
    }
    expect(sums[1]! / sums[0]!).toBeLessThanOrEqual(mostLeft);
  });
});
