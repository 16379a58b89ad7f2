import { expect } from 'vitest';
import { threadCpuClock } from './thread-cpu.ts';

/** What makes slow readers slow, by its name; repeated until it is as long as is wanted. */
const UNITS: Readonly<Record<string, string>> = {
  'angle brackets': '<',
  'closing brackets': '>',
  quotes: '"',
  commas: ',',
  semicolons: ';',
  backslashes: '\\',
  spaces: ' ',
  tabs: '\t',
  slashes: '/',
  colons: ':',
  'equals signs': '=',
  'at signs': '@',
  dots: '.',
  dashes: '-',
  stars: '*',
  underscores: '_',
  backticks: '`',
  parentheses: '(',
  'square brackets': '[',
  braces: '{',
  'percent signs': '%',
  'percent runs': '%61',
  digits: '1',
  letters: 'a',
  'capital letters': 'A',
  words: 'a ',
  labels: 'a.',
  'quoted strings': '"a" ',
  'escaped quotes': '"\\',
  'quotes with commas': '",',
  'empty addresses': '<>,',
  addresses: '<sip:a@b>,',
  'open addresses': '<sip:',
  'open addresses with quotes': '"<',
  parameters: ';a=b',
  'branch parameters': ';branch=',
  'tag parameters': ';tag',
  'spaced parameters': '; tag =',
  'quoted parameters': ';a="b"',
  'open quoted parameters': ';a="',
  'named parameters': 'a=b,',
  boundaries: '\r\n--b',
  'nested quotes': '"\\""',
  'nested marks': '*_`',
  links: '[a](http://b',
  fences: '```a',
  'two-byte letters': '\u00e9',
};

interface Shape {
  readonly name: string;
  readonly text: (length: number) => string;
}

function repeated(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

/** Every shape on its own, and behind what opens it. */
export function shapesAfter(...openings: readonly string[]): Shape[] {
  return openings.flatMap((opening) =>
    Object.entries(UNITS).map(([name, unit]) => ({
      name: `${name} after ${JSON.stringify(opening.slice(0, 40))}`,
      text: (length: number) => opening + repeated(unit, length - opening.length),
    })),
  );
}

/** CPU time is not affected by other processes on the machine. */
const cpu = threadCpuClock();

/** A shorter run says nothing about how its time grows. */
const MEASURABLE_MS = 1;
/** The first try is short, because it mostly suffices. */
const FIRST_RUNS = 3;
const RUNS = 7;
const TRIES = 6;
/** By then it is not chance. */
const STEP_TRY = 3;
const MOST_MS = 2;
const MOST_GROWTH = 2.5;
const LEAST_GROWTH = 1.5;
/** What scanning and splitting take on the machine that the limit was set on, when nothing shares its core. */
const SCAN_MS = 2.5;
const SPLIT_MS = 1.5;
/** A machine may be so many times as slow as that one. */
const MOST_SLOWNESS = 4;
const SCANNED = 'a<b;"c,'.repeat(150_000);
const SPLIT = 'a;'.repeat(60_000);

/**
 * Holds that a reader's time grows no faster than its input: twice as much takes at most 2.5 times as long, and the
 * whole less than 2 ms, or `mostMs`, or as much more as the machine is slower just now. A collection of garbage can only lengthen a
 * run, so the fastest ones are compared, and all again when in doubt.
 */
export function expectLinear(
  shape: Shape,
  length: number,
  read: (text: string) => unknown,
  mostMs = MOST_MS,
): void {
  const [half, whole] = [shape.text(length / 2), shape.text(length)];
  for (let tries = 1; ; tries++) {
    const runs = tries === 1 ? FIRST_RUNS : RUNS;
    const short = times(() => read(half), runs);
    const long = times(() => read(whole), runs);
    const fault = faultOf(short, long, mostMs);
    if (fault === null) return;
    if (tries === STEP_TRY && isStep(long, () => read(shape.text(2 * length)), mostMs)) return;
    if (fault.isHopeless || tries === TRIES)
      expect.fail(`${shape.name}, ${length} characters: ${fault.text}`);
  }
}

/**
 * Whether the time only steps up at this length, as where V8 keeps an array outside of its young generation, which takes
 * some machines several times as long: twice as much again takes 1.5 to 2.5 times as long then. A reader that refuses so
 * much takes no longer.
 */
function isStep(long: readonly number[], readTwice: () => unknown, mostMs: number): boolean {
  const growth = Math.min(...times(readTwice, RUNS)) / Math.min(...long);
  return growth >= LEAST_GROWTH && growth <= MOST_GROWTH && medianOf(long) < mostMs * slowness();
}

/** The same of a reader that gives a promise. */
export async function expectLinearLater(
  shape: Shape,
  length: number,
  read: (text: string) => Promise<unknown>,
): Promise<void> {
  const [half, whole] = [shape.text(length / 2), shape.text(length)];
  for (let tries = 1; ; tries++) {
    const runs = tries === 1 ? FIRST_RUNS : RUNS;
    const short = await timesLater(() => read(half), runs);
    const fault = faultOf(short, await timesLater(() => read(whole), runs), MOST_MS);
    if (fault === null) return;
    if (fault.isHopeless || tries === TRIES)
      expect.fail(`${shape.name}, ${length} characters: ${fault.text}`);
  }
}

/** Null: the time is linear. A clearly quadratic reader is not given all its tries. */
function faultOf(
  short: number[],
  long: number[],
  mostMs: number,
): { text: string; isHopeless: boolean } | null {
  const growth = Math.min(...long) / Math.max(Math.min(...short), MEASURABLE_MS / MOST_GROWTH);
  const middleMs = medianOf(long);
  if (growth <= MOST_GROWTH && (middleMs < mostMs || middleMs < mostMs * slowness())) return null;
  const text = `${middleMs.toFixed(2)} ms, ${growth.toFixed(1)} times as long as half of them`;
  return { text, isHopeless: middleMs > 50 * mostMs };
}

/**
 * How many times as long as on the reference machine work takes now; 1 on a faster one. Processes that share the core
 * slow computing and memory down by different factors, so the larger one counts.
 */
export function slowness(): number {
  return Math.min(MOST_SLOWNESS, Math.max(1, medianMs(scan) / SCAN_MS, medianMs(split) / SPLIT_MS));
}

function medianMs(run: () => unknown): number {
  return medianOf(times(run, RUNS));
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]!;
}

/** A plain scan of a million characters. */
function scan(): number {
  let count = 0;
  for (let at = 0; at < SCANNED.length; at++) {
    const code = SCANNED.charCodeAt(at);
    if (code === 0x3c || code === 0x22) count += 1;
  }
  return count;
}

/** Sixty thousand small strings. */
function split(): number {
  let count = 0;
  for (const piece of SPLIT.split(';')) if (piece.trim() === 'a') count += 1;
  return count;
}

function times(run: () => unknown, runs: number): number[] {
  return Array.from({ length: runs }, () => {
    const startMs = cpu.nowMs();
    run();
    return cpu.nowMs() - startMs;
  });
}

async function timesLater(run: () => Promise<unknown>, runs: number): Promise<number[]> {
  const taken: number[] = [];
  while (taken.length < runs) {
    const startMs = cpu.nowMs();
    await run();
    taken.push(cpu.nowMs() - startMs);
  }
  return taken;
}
