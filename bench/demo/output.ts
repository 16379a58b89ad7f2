import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readMonoWav, writeWav } from '../../test/support/wav.ts';
import type { Party } from './conversation.ts';
import { type Direction, examine, type Findings } from './findings.ts';
import { drawPicture, type Passage } from './picture.ts';
import { AGENT_RATE_HZ, type Part } from './script.ts';

const FOLDER = 'demo-output';
const TITLE = 'One phone call, both ways';
const SUBTITLE =
  'Two gateways on one machine over SIP and RTP (G.711); their agents speak and hear 16 kHz PCM over WebSocket';
/** The first sample beyond this is the onset that the picture magnifies. */
const ONSET_AMPLITUDE = 1_500;

export interface Output {
  /** From A to B. */
  readonly clip: Findings;
  /** From B to A. */
  readonly tone: Findings;
  /** Relative to the working directory. */
  readonly paths: readonly string[];
}

/** Writes what both agents heard, judges the files and draws them. */
export function writeOutput(a: Party, b: Party): Output {
  mkdirSync(FOLDER, { recursive: true });
  const [heardByB, heardByA] = [join(FOLDER, 'b-heard.wav'), join(FOLDER, 'a-heard.wav')];
  const picture = join(FOLDER, 'waveforms.png');
  const [toB, toA] = [direction(a, b, heardByB), direction(b, a, heardByA)];
  const [clip, tone] = [examine(toB), examine(toA)];
  drawPicture(picture, TITLE, SUBTITLE, [
    passage('A says a sentence to B', ['A sends', 'B hears'], toB, clip),
    passage('At the same time, B plays a tone to A', ['B sends', 'A hears'], toA, tone),
  ]);
  return { clip, tone, paths: [heardByB, heardByA, picture] };
}

function direction(speaker: Party, listener: Party, path: string): Direction {
  writeWav(path, { sampleRateHz: AGENT_RATE_HZ, channels: [listener.heard.samples()] });
  return {
    part: speaker.part,
    sent: speaker.sent,
    heard: listener.heard,
    heardSamples: readMonoWav(path).samples,
    listenerAlone: listener.part.alone,
  };
}

function passage(
  title: string,
  [sentLabel, heardLabel]: [string, string],
  { part, sent, heard, heardSamples }: Direction,
  { delay, snrDb, framesHeard, framesExpected }: Findings,
): Passage {
  const sampleRateHz = AGENT_RATE_HZ;
  const fromMs = heard.firstAtMs - sent.firstAtMs;
  return {
    title,
    facts: `delay ${delay.ms.toFixed(0)} ms · SNR ${snrDb.toFixed(0)} dB · ${framesHeard} of ${framesExpected} frames`,
    sent: { label: sentLabel, samples: part.samples, sampleRateHz, fromMs: 0 },
    heard: { label: heardLabel, samples: heardSamples, sampleRateHz, fromMs },
    onsetMs: onsetMs(part),
    delayMs: delay.atOnsetMs,
  };
}

function onsetMs({ samples }: Part): number {
  return (samples.findIndex((sample) => Math.abs(sample) > ONSET_AMPLITUDE) * 1000) / AGENT_RATE_HZ;
}
