import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** As config/run.sh gives it. */
const CONTEXT_FLAG =
  Number.parseInt(process.versions.node, 10) < 24 ? ['--experimental-async-context-frame'] : [];
const ROOT = join(import.meta.dirname, '../..');

/** The command of `npm start`, without npm: what is tested and measured is what users run. */
export const startCommand: readonly string[] = argumentsOf(
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts.start,
);

function argumentsOf(script: string): string[] {
  const args = script.split(' production ')[1]?.split(' ') ?? [];
  return [process.execPath, ...CONTEXT_FLAG, ...args.slice(0, -1), join(ROOT, args.at(-1) ?? '')];
}
