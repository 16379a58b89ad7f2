import { join } from 'node:path';
import { MeasuringProgram } from '../measuring-program.ts';

/** Reads a call by REST, 100 times a second, in its own process. Resolves with how long each took, in milliseconds. */
export async function readSteadily(
  prefix: readonly string[],
  url: string,
  apiKey: string,
  seconds: number,
): Promise<number[]> {
  const program = join(import.meta.dirname, 'reading.ts');
  const command = [...prefix, process.execPath, program, url, apiKey, `${seconds}`];
  return (await new MeasuringProgram(command, seconds).lines).map(Number);
}
