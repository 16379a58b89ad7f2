import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, it, vi } from 'vitest';
import { runJob } from '../../../src/jobs/jobs.ts';
import { waitFor } from '../../support/wait-for.ts';

afterEach(() => vi.restoreAllMocks());

const HELLO = { text: 'Hello.', voice: 'kal16' } as const;
/** Takes hundreds of milliseconds. */
const LONG = { text: '7'.repeat(150), voice: 'slt' } as const;

it('a job that hangs is stopped, and the next ones run on a new thread', async () => {
  await runJob('synthesize', HELLO);
  const deadline = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
  const hung = runJob('synthesize', LONG);
  await vi.waitFor(() => expect(timeout).toHaveBeenCalled());
  timeout.mockRestore();
  deadline.abort();
  await expect(hung).rejects.toMatchObject({ name: 'AbortError' });
  expect(await runJob('hashPassword', 'secret')).toMatch(/^\$argon2id\$/);
});

it('what a job throws is passed on, and the thread works on', async () => {
  await expect(runJob('synthesize', { ...HELLO, text: 'a'.repeat(1_000) })).rejects.toThrow('too long');
  expect((await runJob('synthesize', HELLO)).length).toBeGreaterThan(1_000);
});

it('the jobs of a thread run on threads of its own, which end with it', async () => {
  const threads = () => readdirSync('/proc/self/task').length;
  const before = threads();
  const holder = new Worker(new URL('./jobs-holder.worker.ts', import.meta.url));
  expect(await once(holder, 'message')).toEqual(['busy']);
  expect(threads()).toBeGreaterThanOrEqual(before + 2);
  await holder.terminate();
  await waitFor('all of its threads to end', () => threads() <= before);
});
