import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadWaking } from '../../../src/native/waker.ts';
import { Doorbell } from '../../../src/rings/doorbell.ts';
import { until } from '../engine/support/test-engine.ts';

const addon = loadWaking();
const ADDON = typeof addon === 'string' ? null : addon;
const MODULE = JSON.stringify(new URL('../../../src/rings/doorbell.ts', import.meta.url).href);

describe.each([
  { by: 'the addon', waking: ADDON },
  { by: 'V8', waking: null },
])('by $by', ({ by, waking }) => {
  it('has the addon exactly if it is meant to', () => expect(waking === null).toBe(by === 'V8'));

  /** A thread that counts its answers, from -1 to 0 when it begins to listen. */
  async function listener(memory: SharedArrayBuffer) {
    const answers = new Int32Array(new SharedArrayBuffer(8)).fill(-1);
    const arguments_ = waking === null ? 'workerData.memory, null' : 'workerData.memory';
    const worker = new Worker(
      `const { workerData } = require('node:worker_threads');
       import(${MODULE}).then(({ Doorbell }) => {
         new Doorbell(${arguments_}).listen((rung) => {
           Atomics.store(workerData.answers, 1, rung);
           Atomics.add(workerData.answers, 0, 1);
         });
         Atomics.store(workerData.answers, 0, 0);
         setInterval(() => {}, 1_000);
       });`,
      { eval: true, workerData: { memory, answers } },
    );
    onTestFinished(async () => void (await worker.terminate()));
    await until(() => Atomics.load(answers, 0) >= 0);
    return { worker, answers: () => Atomics.load(answers, 0), lastRung: () => Atomics.load(answers, 1) };
  }

  function newDoorbell(memory?: SharedArrayBuffer): Doorbell {
    const doorbell = new Doorbell(memory, waking);
    onTestFinished(() => doorbell.stop());
    return doorbell;
  }

  it('wakes a listener on another thread', async () => {
    const doorbell = newDoorbell();
    const { answers, lastRung } = await listener(doorbell.memory);
    doorbell.ring(1 << 19);
    await until(() => answers() >= 1);
    expect(lastRung()).toBe(1 << 19);
  });

  it('answers rings that come together once, with all their bits', async () => {
    const doorbell = newDoorbell();
    const answers: number[] = [];
    const answered = new Promise<void>((resolve) => {
      doorbell.listen((rung) => {
        answers.push(rung);
        setImmediate(() => setImmediate(resolve));
      });
    });
    for (let i = 0; i < 100; i++) doorbell.ring(1 << (i % 4));
    await answered;
    expect(answers).toEqual([0b1111]);
  });

  it('does not lose a ring that comes while the listener answers', async () => {
    const doorbell = newDoorbell();
    let answers = 0;
    doorbell.listen(() => {
      answers++;
      if (answers === 1) doorbell.ring();
    });
    doorbell.ring();
    await until(() => answers === 2);
  });

  it('answers what was rung before it listened', async () => {
    const doorbell = newDoorbell();
    doorbell.ring(0b100);
    const answered = new Promise<number>((resolve) => doorbell.listen(resolve));
    expect((await answered) & 0b100).toBe(0b100);
  });

  it('answers without a ring after a second, for all bits', async () => {
    const doorbell = newDoorbell();
    expect(await new Promise<number>((resolve) => doorbell.listen(resolve))).toBe(-1);
  });

  it('is silent once it is stopped', async () => {
    const doorbell = newDoorbell();
    const other = newDoorbell();
    let answers = 0;
    doorbell.listen(() => answers++);
    doorbell.stop();
    doorbell.ring();
    await new Promise<number>((resolve) => {
      other.listen(resolve);
      other.ring();
    });
    expect(answers).toBe(0);
  });

  it('answers only for the doorbells that were rung', async () => {
    const doorbells = Array.from({ length: 3 }, () => newDoorbell());
    const answers = [0, 0, 0];
    for (const [i, doorbell] of doorbells.entries()) doorbell.listen(() => answers[i]!++);
    doorbells[1]!.ring();
    await until(() => answers[1] === 1);
    expect(answers).toEqual([0, 1, 0]);
  });

  it('follows its memory to another thread when the first was killed, and a late ring does no harm', async () => {
    const doorbell = newDoorbell();
    const first = await listener(doorbell.memory);
    const late = newDoorbell(copyOf(doorbell.memory));
    const ringing = setInterval(() => doorbell.ring(), 0);
    onTestFinished(() => clearInterval(ringing));
    await until(() => first.answers() > 0);
    await first.worker.terminate();
    const answersOfFirst = first.answers();
    late.ring();
    const second = await listener(doorbell.memory);
    late.ring();
    await until(() => second.answers() > 10);
    expect(first.answers()).toBe(answersOfFirst);
  });
});

/** What somebody knows who has not heard of a new listener. */
function copyOf(memory: SharedArrayBuffer): SharedArrayBuffer {
  const copy = new SharedArrayBuffer(memory.byteLength);
  new Uint8Array(copy).set(new Uint8Array(memory));
  return copy;
}

it.skipIf(ADDON === null)('threads that come and go take over each other’s wakers', async () => {
  const source = `const { workerData, parentPort } = require('node:worker_threads');
    import(${JSON.stringify(new URL('../../../src/native/waker.ts', import.meta.url).href)}).then(({ loadWaking }) => {
      parentPort.postMessage(loadWaking().listen(() => {}));
      setInterval(() => {}, 1_000);
    });`;
  const wakers = new Set<number>();
  for (let i = 0; i < 12; i++) {
    const worker = new Worker(source, { eval: true });
    const waker = await new Promise<number>((resolve) => worker.once('message', resolve));
    wakers.add(waker);
    for (let n = 0; n < 10; n++) ADDON!.wake(waker);
    await worker.terminate();
    ADDON!.wake(waker);
  }
  expect(Math.min(...wakers)).toBeGreaterThan(0);
  expect(wakers.size).toBeLessThanOrEqual(2);
});

it.skipIf(ADDON === null)('a number that nobody has wakes nobody', async () => {
  let woken = 0;
  const own = ADDON!.listen(() => woken++);
  for (const waker of [-1, 0, 256, 257, 2 ** 31, Number.NaN]) ADDON!.wake(waker);
  // The event loop polls between two of these.
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  expect(woken).toBe(0);
  ADDON!.wake(own);
  await until(() => woken === 1);
});
