import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that has to be installed, and the command that does it. */
export interface NeededProgram {
  readonly program: string;
  readonly apt: string;
}

/** How to get what is missing; null: it is there. */
export function howToGet({ program, apt }: NeededProgram): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, program))) ? null : apt;
}
