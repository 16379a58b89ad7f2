import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const PROGRAM = 'pocketsphinx_continuous';
const HINT = 'on Debian: apt-get install pocketsphinx pocketsphinx-en-us';

/** What to install so that speech can be recognized, for people. */
export const NO_SPHINX = `Speech recognition needs ${PROGRAM} (${HINT})`;

/** The path of pocketsphinx; undefined where it is not installed. */
export function sphinxProgram(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, PROGRAM)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
