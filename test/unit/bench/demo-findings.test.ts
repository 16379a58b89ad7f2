import { expect, it } from 'vitest';
import type { Counters } from '../../../bench/demo/counters.ts';
import { examine, type Findings, telephoneBand } from '../../../bench/demo/findings.ts';
import { faults, notes, type Results } from '../../../bench/demo/report.ts';
import { AGENT_RATE_HZ, clipPart, type Part, samplesIn, tonePart } from '../../../bench/demo/script.ts';
import { Track } from '../../../bench/demo/track.ts';

const DELAY_MS = 70;
const counters = {
  packetsSent: 0,
  packetsReceived: 0,
  packetsLost: 0,
  packetsLate: 0,
  framesConcealed: 0,
  underruns: 0,
  latenessP50Ms: 0,
  latenessP99Ms: 0,
};
const clip = clipPart();
const tone = tonePart(clip);

it.each([
  ['the clip', clip, tone],
  ['the tone', tone, clip],
])('finds nothing wrong with %s, only late', (_name, part, other) => {
  expect(faultsOf(part, judge(part, other, late(telephoneBand(part.samples))))).toEqual([]);
});

it('accepts speech that continues 60 ms later after a pause, as after a stalled agent', () => {
  const heard = late(telephoneBand(clip.samples));
  const pause = samplesIn(3_000);
  heard.copyWithin(pause + samplesIn(60), pause, heard.length - samplesIn(60));
  expect(faultsOf(clip, judge(clip, tone, heard))).toEqual([]);
});

it.each([
  ['silence', (samples: Int16Array) => samples.map(() => 0), /0 % of it were found/],
  ['half its level', (samples: Int16Array) => samples.map((s) => s / 2), /level changed by 6/],
  ['noise', (samples: Int16Array) => samples.map((s) => s + 6_000 * (Math.random() - 0.5)), /SNR/],
])('reports a tone that arrives as %s', (_name, spoil, complaint) => {
  expect(faultsOf(tone, judge(tone, clip, spoil(late(tone.samples)))).join('\n')).toMatch(complaint);
});

it('reports an echo of the other side’s speaker', () => {
  const heard = late(tone.samples);
  clip.samples.forEach((sample, at) => {
    heard[at] = heard[at]! + sample / 10;
  });
  expect(faultsOf(tone, judge(tone, clip, heard)).join('\n')).toMatch(/echo/);
});

it.each([{ underruns: 1 }, { packetsLate: 1 }, { latenessP99Ms: 50 }])(
  'takes gaps for the machine’s: %o',
  (more) => {
    const gaps = late(telephoneBand(clip.samples)).fill(0, samplesIn(1_000), samplesIn(3_000));
    const findings = judge(clip, tone, gaps);
    expect(faultsOf(clip, findings)).not.toEqual([]);
    expect(faultsOf(clip, findings, more)).toEqual([]);
    expect(notes(resultsOf(clip, findings, more)).join()).toMatch(/B heard \d\d % of the clip/);
  },
);

it('reports silence also of a busy machine', () => {
  const findings = judge(clip, tone, new Int16Array(clip.samples.length));
  expect(faultsOf(clip, findings, { underruns: 1 })).toEqual(['B did not hear the clip at all']);
});

function late(samples: Int16Array): Int16Array {
  const heard = new Int16Array(samples.length + samplesIn(400));
  heard.set(samples, samplesIn(DELAY_MS));
  return heard;
}

/** The timing of these tracks carries no information; only the recording is judged. */
function judge(part: Part, other: Part, heardSamples: Int16Array): Findings {
  const sent = new Track(AGENT_RATE_HZ);
  const heard = new Track(AGENT_RATE_HZ);
  sent.add(part.samples);
  heard.add(heardSamples);
  return examine({ part, sent, heard, heardSamples, listenerAlone: other.alone });
}

function faultsOf(part: Part, findings: Findings, more: Partial<Counters> = {}): string[] {
  return faults(resultsOf(part, findings, more));
}

function resultsOf(part: Part, findings: Findings, more: Partial<Counters> = {}): Results {
  const good = { ...findings, found: 1, snrDb: 40, heardLevel: findings.sentLevel, echoDbfs: -100 };
  const both = part === clip ? { clip: findings, tone: good } : { clip: good, tone: findings };
  return { ...both, countersA: { ...counters, ...more }, countersB: counters };
}
