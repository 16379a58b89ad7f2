import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A required program and the command that installs it. */
export interface NeededProgram {
  readonly program: string;
  readonly apt: string;
}

/** Returns the command that installs the program; null if it is installed. */
export function howToGet({ program, apt }: NeededProgram): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, program))) ? null : apt;
}
