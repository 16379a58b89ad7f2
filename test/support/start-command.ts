import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The command of `npm start`, without npm and with the pinned Node: what is tested and measured is what users run. */
export const startCommand: readonly string[] = pinned(
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts.start,
);

function pinned(script: string): string[] {
  const [, ...args] = script.split(' ');
  return [join(ROOT, 'node_modules/.bin/node'), ...args.slice(0, -1), join(ROOT, args.at(-1) ?? '')];
}
