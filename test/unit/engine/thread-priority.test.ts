import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { describe, expect, it } from 'vitest';
import { MEDIA_NICE } from '../../../src/engine/thread-priority.ts';
import { startTestEngine } from './support/test-engine.ts';

const TASKS = '/proc/self/task';
/** Nice is field 19 of stat; the second one, in parentheses, may hold spaces. */
const NICE_AFTER_NAME = 16;

function niceOfThreads(): number[] {
  return readdirSync(TASKS).map((thread) => {
    const stat = readFileSync(`${TASKS}/${thread}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[NICE_AFTER_NAME]);
  });
}

const mayRaise = process.platform === 'linux' && process.getuid?.() === 0;

describe.runIf(mayRaise)('priority of an engine thread', () => {
  it('is above that of all other threads of the process', async () => {
    const { engine } = await startTestEngine();
    try {
      expect(niceOfThreads().filter((nice) => nice === MEDIA_NICE)).toHaveLength(1);
      expect(getPriority()).toBe(0);
    } finally {
      await engine.close(1_000);
    }
  });
});
