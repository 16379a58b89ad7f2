import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { Doorbell } from '../../../src/threads/doorbell.ts';
import { until } from '../engine/support/test-engine.ts';

it('wakes a listener on another thread', async () => {
  const doorbell = new Doorbell();
  const answered = new Int32Array(new SharedArrayBuffer(4)).fill(-1);
  const url = JSON.stringify(new URL('../../../src/threads/doorbell.ts', import.meta.url).href);
  const worker = new Worker(
    `const { workerData } = require('node:worker_threads');
     import(${url}).then(({ Doorbell }) => {
       new Doorbell(workerData.memory).listen(() => Atomics.add(workerData.answered, 0, 1));
       Atomics.store(workerData.answered, 0, 0);
       setInterval(() => {}, 1_000);
     });`,
    { eval: true, workerData: { memory: doorbell.memory, answered } },
  );
  onTestFinished(async () => void (await worker.terminate()));
  await until(() => Atomics.load(answered, 0) === 0);
  doorbell.ring();
  await until(() => Atomics.load(answered, 0) >= 1);
});

it('answers rings that come together once', async () => {
  const doorbell = new Doorbell();
  let answers = 0;
  const answered = new Promise<void>((resolve) => {
    void doorbell.listen(() => {
      answers++;
      setImmediate(() => setImmediate(resolve));
    });
  });
  for (let i = 0; i < 100; i++) doorbell.ring();
  await answered;
  expect(answers).toBe(1);
  doorbell.stop();
});

it('does not lose a ring that comes while the listener answers', async () => {
  const doorbell = new Doorbell();
  let answers = 0;
  void doorbell.listen(() => {
    answers++;
    if (answers === 1) doorbell.ring();
  });
  doorbell.ring();
  await until(() => answers === 2);
  doorbell.stop();
});

it('is silent once it is stopped', async () => {
  const doorbell = new Doorbell();
  let answers = 0;
  const listening = doorbell.listen(() => answers++);
  doorbell.stop();
  await listening;
  doorbell.ring();
  expect(answers).toBe(0);
});
