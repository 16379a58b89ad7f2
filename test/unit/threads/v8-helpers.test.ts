import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Prints the nice value of each of its threads, the main thread first (proc(5), /proc/pid/stat, field 19). */
const PROGRAM = `
import { readdirSync, readFileSync } from 'node:fs';
import { makeHelpersYield } from ${JSON.stringify(new URL('../../../src/threads/v8-helpers.ts', import.meta.url).href)};
makeHelpersYield();
const ids = readdirSync('/proc/self/task').map(Number).sort((a, b) => a - b);
const niceOf = (id) => Number(readFileSync('/proc/self/task/' + id + '/stat', 'latin1').split(') ')[1].split(' ')[16]);
console.log(JSON.stringify(ids.map(niceOf)));
`;

test.skipIf(!existsSync('/proc/self/task'))(
  'V8 helpers yield to the main thread, which keeps its weight',
  () => {
    const own = niceOfThisProcess();
    const [main, ...helpers] = nices();
    expect(main).toBe(own);
    expect(helpers.length).toBeGreaterThan(1);
    expect(new Set(helpers)).toEqual(new Set([Math.min(own + 5, 19)]));
  },
);

function nices(): number[] {
  const args = ['--experimental-strip-types', '--no-warnings', '--input-type=module', '--eval', PROGRAM];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000 }));
}

function niceOfThisProcess(): number {
  return Number(execFileSync('nice', { encoding: 'utf8', timeout: 20_000 }));
}
