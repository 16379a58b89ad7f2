import { describe, expect, it, onTestFinished } from 'vitest';
import { framePower } from '../../../../src/audio/frame-power.ts';
import type { FvadRateHz } from '../../../../src/speech/vad/fvad.ts';
import { VoiceActivity } from '../../../../src/speech/vad/voice-activity.ts';
import { rmsDbfs } from '../../../support/levels.ts';
import {
  amplified,
  framesOf,
  joined,
  mixed,
  noise,
  silence,
  speech,
} from '../../../support/speech-signal.ts';

const RATES: readonly FvadRateHz[] = [8_000, 16_000, 48_000];
const FRAME_MS = 20;
const START_AFTER_MS = 250;
const END_AFTER_MS = 600;
const SENTENCE = 'Could you please tell me when the next train leaves?';
const AGENT =
  'Thank you very much for calling. Our office is open from nine to five, and on Saturdays until noon.';
const LINE_NOISE_DBFS = -50;

interface Change {
  readonly change: 'started' | 'ended';
  readonly atMs: number;
}

function activity(rateHz: FvadRateHz): VoiceActivity {
  const made = new VoiceActivity({ rateHz, startAfterMs: START_AFTER_MS, endAfterMs: END_AFTER_MS });
  onTestFinished(() => made.close());
  return made;
}

/** What changes while a signal is heard and, at the same time, another one is sent. */
function changes(rateHz: FvadRateHz, heard: Int16Array, sent?: Int16Array): Change[] {
  const voice = activity(rateHz);
  const sentFrames = sent === undefined ? [] : framesOf(sent, rateHz);
  return framesOf(heard, rateHz).flatMap((frame, i) => {
    const sentFrame = sentFrames[i];
    if (sentFrame !== undefined) voice.sent(framePower(sentFrame));
    const change = voice.hear(frame);
    return change === null ? [] : [{ change, atMs: (i + 1) * FRAME_MS }];
  });
}

/** When the frames of a signal that are louder than −40 dBFS begin and end. */
function loudPart(signal: Int16Array, rateHz: number): { fromMs: number; toMs: number } {
  const isLoud = framesOf(signal, rateHz).map((frame) => rmsDbfs(frame) > -40);
  return { fromMs: isLoud.indexOf(true) * FRAME_MS, toMs: (isLoud.lastIndexOf(true) + 1) * FRAME_MS };
}

describe.each(RATES)('at %i Hz', (rateHz) => {
  it('a sentence is heard once, from its start to its end', () => {
    const pause = noise(2_000, rateHz, -60);
    const voice = speech(SENTENCE, rateHz);
    const { fromMs, toMs } = loudPart(voice, rateHz);
    const heard = changes(rateHz, joined(pause, voice, pause));
    expect(heard.map(({ change }) => change)).toEqual(['started', 'ended']);
    const delayMs = heard[0]!.atMs - 2_000 - fromMs - START_AFTER_MS;
    const releaseMs = heard[1]!.atMs - 2_000 - toMs - END_AFTER_MS;
    expect(delayMs).toBeLessThanOrEqual(100);
    expect(delayMs).toBeGreaterThanOrEqual(-60);
    expect(releaseMs).toBeLessThanOrEqual(300);
    expect(releaseMs).toBeGreaterThanOrEqual(-100);
  });

  it('nothing is heard in silence, nor in noise on the line', () => {
    expect(changes(rateHz, silence(20_000, rateHz))).toEqual([]);
    for (const seed of [1, 2, 3]) {
      expect(changes(rateHz, noise(20_000, rateHz, LINE_NOISE_DBFS, seed))).toEqual([]);
    }
  });

  it('the echo of what is sent is not heard, 30 dB down and up to 500 ms late', () => {
    const sent = amplified(speech(AGENT, rateHz), 6);
    for (const delayMs of [0, 60, 200, 500]) {
      const echo = joined(silence(delayMs, rateHz), amplified(sent, -30), silence(1_000, rateHz));
      const line = mixed(noise(20_000, rateHz, LINE_NOISE_DBFS), echo);
      expect(changes(rateHz, line, sent), `${delayMs} ms late`).toEqual([]);
    }
    // It is speech, loud enough to be heard if it were not an echo.
    expect(changes(rateHz, amplified(sent, -20)).length).toBeGreaterThan(0);
  });

  it.each([0, -10])('somebody who speaks over what is sent is heard, at %i dB', (db) => {
    const sent = speech(AGENT, rateHz);
    const echo = amplified(sent, -30);
    const voice = joined(silence(1_000, rateHz), amplified(speech(SENTENCE, rateHz, 'rms'), db));
    const line = mixed(mixed(noise(6_000, rateHz, LINE_NOISE_DBFS), echo), voice);
    const [started] = changes(rateHz, line, sent);
    expect(started?.change).toBe('started');
    expect(started!.atMs - loudPart(voice, rateHz).fromMs).toBeLessThanOrEqual(START_AFTER_MS + 150);
  });
});

it('a voice is heard at once when the echo of what was sent has faded', () => {
  const sent = amplified(speech('Yes.', 16_000), 6);
  const quiet = joined(silence(2_500, 16_000), amplified(speech(SENTENCE, 16_000), -18));
  expect(changes(16_000, quiet, sent)[0]?.change).toBe('started');
});

describe('the start of a turn that a recognizer hears', () => {
  const sent = amplified(speech(AGENT, 16_000), 6);

  /** What changes when it comes after a second of this. */
  function turnAfter(heard: Int16Array): string | null {
    const voice = activity(16_000);
    const [heardFrames, sentFrames] = [framesOf(heard, 16_000), framesOf(sent, 16_000)];
    for (let i = 0; i < 50; i++) {
      voice.sent(framePower(sentFrames[i]!));
      voice.hear(heardFrames[i]!);
    }
    return voice.turn('started');
  }

  it('counts when somebody was loud enough', () => {
    const voice = speech(SENTENCE, 16_000);
    const late = joined(silence(880 - loudPart(voice, 16_000).fromMs, 16_000), voice);
    expect(turnAfter(late)).toBe('started');
  });

  it('does not when it was an echo or noise', () => {
    expect(turnAfter(amplified(sent, -30))).toBe(null);
    expect(turnAfter(noise(1_000, 16_000, LINE_NOISE_DBFS))).toBe(null);
  });

  it('ends as well, and the voice is heard again afterwards', () => {
    const voice = activity(16_000);
    const frames = framesOf(speech(SENTENCE, 16_000), 16_000);
    for (const frame of frames.slice(0, 30)) voice.hear(frame);
    expect(voice.isSpeaking).toBe(true);
    expect([voice.turn('ended'), voice.turn('ended')]).toEqual(['ended', null]);
    expect(frames.slice(30).map((frame) => voice.hear(frame))).toContain('started');
  });
});

it('frames of another length are refused', () => {
  expect(() => activity(16_000).hear(new Int16Array(160))).toThrow('20 ms');
});

it('hundreds of voices are told apart', () => {
  const talking = framesOf(speech(SENTENCE, 16_000), 16_000);
  const nobody = silence(20, 16_000);
  const voices = Array.from({ length: 300 }, () => activity(16_000));
  for (const frame of talking)
    for (const [i, voice] of voices.entries()) voice.hear(i % 3 === 0 ? frame : nobody);
  expect(voices.map(({ isSpeaking }) => isSpeaking)).toEqual(voices.map((_, i) => i % 3 === 0));
});

it('a frame allocates nothing', () => {
  const voice = activity(48_000);
  const frames = framesOf(speech(SENTENCE, 48_000), 48_000);
  const bytesPerFrame = Array.from({ length: 200 }, () => {
    const before = process.memoryUsage().heapUsed;
    for (const frame of frames) {
      voice.sent(framePower(frame));
      voice.hear(frame);
    }
    return (process.memoryUsage().heapUsed - before) / frames.length;
  });
  // The rest are numbers that V8 boxes, and what measuring takes.
  expect(bytesPerFrame.toSorted((one, other) => one - other)[100]).toBeLessThan(100);
});
