import { FRAME_MS } from '../../src/base/frame.ts';
import type { Counters } from './counters.ts';
import type { Findings, Level } from './findings.ts';

const MIN_FOUND = 0.95;
const MIN_CLIP_SNR_DB = 25;
const MIN_TONE_SNR_DB = 30;
const MAX_LEVEL_CHANGE_DB = 1.5;
const MAX_ECHO_DBFS = -60;
const LABEL_WIDTH = 34;
const COLUMN_WIDTH = 22;

export interface Results {
  /** From A to B. */
  readonly clip: Findings;
  /** From B to A. */
  readonly tone: Findings;
  readonly countersA: Counters;
  readonly countersB: Counters;
}

/** The results as a table for people: one column a direction, then one a gateway. */
export function table({ clip, tone, countersA, countersB }: Results): string {
  return [
    row('', 'clip: A to B', 'tone: B to A'),
    row('level sent      RMS / peak, dBFS', level(clip.sentLevel), level(tone.sentLevel)),
    row('level heard     RMS / peak, dBFS', level(clip.heardLevel), level(tone.heardLevel)),
    row('one-way delay   median, ms', clip.delay.ms.toFixed(0), tone.delay.ms.toFixed(0)),
    row('                least to most, ms', range(clip.delay), range(tone.delay)),
    row('frames heard    of those expected', frames(clip), frames(tone)),
    row('SNR after G.711 dB', clip.snrDb.toFixed(1), tone.snrDb.toFixed(1)),
    row('own voice heard by listener, dBFS', echo(clip), echo(tone)),
    '',
    row('', 'gateway A', 'gateway B'),
    row('RTP packets     sent / received', packets(countersA), packets(countersB)),
    row('RTP             lost / late', losses(countersA), losses(countersB)),
    row('frames concealed', `${countersA.framesConcealed}`, `${countersB.framesConcealed}`),
    row('agent audio     ran dry', `${countersA.underruns}`, `${countersB.underruns}`),
    row('tick lateness   p50 / p99, ms', lateness(countersA), lateness(countersB)),
  ].join('\n');
}

/** Returns the faults in what was heard; empty if both heard each other. */
export function faults(results: Results): string[] {
  const judge = wasLate(results) ? absenceOf : faultsOf;
  return [
    ...judge('B did not hear the clip', results.clip, MIN_CLIP_SNR_DB),
    ...judge('A did not hear the tone', results.tone, MIN_TONE_SNR_DB),
  ];
}

/** What to say of a machine that was too busy for audio in real time; empty if it was not. */
export function notes(results: Results): string[] {
  if (!wasLate(results)) return [];
  const found = ({ found }: Findings) => `${(found * 100).toFixed(0)} %`;
  return [
    `the machine was too busy for audio in time, so only the content is judged: B heard ${found(results.clip)} of the clip ` +
      `as it was sent, A ${found(results.tone)} of the tone`,
  ];
}

/** Gaps and pauses are then the machine's. */
function wasLate({ countersA, countersB }: Results): boolean {
  return [countersA, countersB].some(
    ({ underruns, packetsLost, packetsLate, framesConcealed, latenessP99Ms }) =>
      underruns + packetsLost + packetsLate + framesConcealed > 0 || latenessP99Ms > FRAME_MS,
  );
}

function absenceOf(headline: string, { found }: Findings): string[] {
  return found > 0 ? [] : [`${headline} at all`];
}

function faultsOf(headline: string, findings: Findings, minSnrDb: number): string[] {
  const change = Math.abs(findings.heardLevel.rmsDbfs - findings.sentLevel.rmsDbfs);
  const found = `${(findings.found * 100).toFixed(0)} % of it were found`;
  return [
    ...(findings.found >= MIN_FOUND ? [] : [found]),
    ...(findings.snrDb >= minSnrDb ? [] : [`its SNR is ${findings.snrDb.toFixed(1)} dB, not ${minSnrDb}`]),
    ...(change <= MAX_LEVEL_CHANGE_DB ? [] : [`its level changed by ${change.toFixed(1)} dB`]),
    ...(findings.echoDbfs <= MAX_ECHO_DBFS ? [] : [`there is an echo of ${echo(findings)} dBFS`]),
  ].map((fault) => `${headline} as it was sent: ${fault}`);
}

function row(label: string, left: string, right: string): string {
  return `  ${label.padEnd(LABEL_WIDTH)}${left.padStart(COLUMN_WIDTH)}${right.padStart(COLUMN_WIDTH)}`;
}

function level({ rmsDbfs, peakDbfs }: Level): string {
  return `${rmsDbfs.toFixed(1)} / ${peakDbfs.toFixed(1)}`;
}

function range({ minMs, maxMs }: Findings['delay']): string {
  return `${minMs.toFixed(0)} to ${maxMs.toFixed(0)}`;
}

function frames({ framesHeard, framesExpected }: Findings): string {
  return `${framesHeard} of ${framesExpected}`;
}

function echo({ echoDbfs }: Findings): string {
  return echoDbfs <= -100 ? 'silence' : echoDbfs.toFixed(1);
}

function packets({ packetsSent, packetsReceived }: Counters): string {
  return `${packetsSent} / ${packetsReceived}`;
}

function losses({ packetsLost, packetsLate }: Counters): string {
  return `${packetsLost} / ${packetsLate}`;
}

/** Buckets know only an upper bound. */
function lateness({ latenessP50Ms, latenessP99Ms }: Counters): string {
  return `< ${latenessP50Ms} / < ${latenessP99Ms}`;
}
