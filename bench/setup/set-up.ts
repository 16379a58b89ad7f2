import { join } from 'node:path';
import { compileFolder } from '../compile.ts';
import { MeasuringProgram } from '../measuring-program.ts';

/** One call from outside, in milliseconds: when its INVITE went out, and how long until its 200 and its first RTP. */
export interface SetUp {
  readonly begunMs: number;
  /** Null: it was not answered, or heard nothing. */
  readonly answeredMs: number | null;
  readonly heardMs: number | null;
  /** Of the last answer to its INVITE; 0: none came. */
  readonly status: number;
}

export interface CallPlan {
  readonly perSecond: number;
  readonly seconds: number;
  readonly holdMs: number;
}

/** The caller's address, the called address and the first RTP port. Each line takes two ports. */
export interface Line {
  readonly sipPort: number;
  readonly calledPort: number;
  readonly number: string;
  readonly firstRtpPort: number;
}

/** RTP ports that the caller needs for a plan. */
export function portsNeeded({ perSecond, holdMs }: CallPlan): number {
  return 2 * (Math.floor(perSecond * (holdMs / 1_000 + 1)) + 8);
}

/** Calls at a steady pace. A call that is not answered is in the list, with nulls. */
export async function placeSteadily(
  prefix: readonly string[],
  { sipPort, calledPort, number, firstRtpPort }: Line,
  { perSecond, seconds, holdMs }: CallPlan,
): Promise<SetUp[]> {
  const program = compileFolder(join(import.meta.dirname, 'caller'), 'sip-caller');
  const where = ['127.0.0.1', `${sipPort}`, `${calledPort}`, number, `${firstRtpPort}`];
  const plan = [`${perSecond}`, `${seconds}`, `${holdMs}`];
  const run = new MeasuringProgram([...prefix, program, ...where, ...plan], seconds + holdMs / 1_000);
  return readSetUps(await run.lines);
}

export function readSetUps(lines: readonly string[]): SetUp[] {
  const setUps = lines.map((line) => {
    const [begun = Number.NaN, answered = -1, heard = -1, status = 0] = line.split(' ').map(Number);
    return {
      begunMs: begun / 1_000,
      answeredMs: milliseconds(answered),
      heardMs: milliseconds(heard),
      status,
    };
  });
  return setUps.sort((a, b) => a.begunMs - b.begunMs);
}

function milliseconds(microseconds: number): number | null {
  return microseconds < 0 ? null : microseconds / 1_000;
}
