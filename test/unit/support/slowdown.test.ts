import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { Slowdown } from '../../support/slowdown.ts';

/** Keeps the first processor available to this process busy. */
function busy(): { readonly pid: number } {
  const allowed = execFileSync('taskset', ['-cp', `${process.pid}`], { encoding: 'utf8' });
  const processor = /: (\d+)/.exec(allowed)![1]!;
  const child = spawn('taskset', ['-c', processor, 'sh', '-c', 'while :; do :; done']);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return { pid: child.pid! };
}

test('two processes that share a processor take twice as long', async () => {
  const [one, other] = [busy(), busy()];
  const slowdown = new Slowdown(one.pid, other.pid);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(slowdown.factor).toBeGreaterThan(1.5);
});
