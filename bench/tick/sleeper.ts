import { join } from 'node:path';
import { compileFolder } from '../compile.ts';
import { MeasuringProgram } from '../measuring-program.ts';

/** Starts the C thread that sleeps to absolute deadlines; resolves with how late it woke each time, in milliseconds. */
export async function sleepBeside(prefix: readonly string[], seconds: number): Promise<number[]> {
  const program = compileFolder(join(import.meta.dirname, 'sleeper'), 'sleeper');
  const lines = await new MeasuringProgram([...prefix, program, `${seconds}`], seconds).lines;
  return lines.map((line) => Number(line) / 1_000);
}
