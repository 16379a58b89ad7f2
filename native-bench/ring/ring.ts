/** The figures of ring.c for our own rings: `node ring.ts up|down`; starts itself again as the reading thread. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { FrameRingConsumer, FrameRingProducer, frameRingMemory } from '../../src/rings/frame-ring.ts';
import { RingConsumer } from '../../src/rings/ring-consumer.ts';
import { ringMemory } from '../../src/rings/ring-layout.ts';
import { RingProducer } from '../../src/rings/ring-producer.ts';

const FRAME = 320;
const CAPACITY = 16_384;
const FRAMES = 200_000;
const RATE_HZ = 16_000;

const kind = process.argv[2];

interface RingKind {
  memory(): SharedArrayBuffer;
  /** Writes a frame; false: the ring is full. */
  writer(memory: SharedArrayBuffer): (frame: Int16Array) => boolean;
  /** Takes a frame; returns its first and last byte, -1: there is none. */
  reader(memory: SharedArrayBuffer): () => number;
}

/** What agents say: samples of any rate, with marks between; copied at both ends. */
const up: RingKind = {
  memory: () => ringMemory(CAPACITY),
  writer: (memory) => {
    const ring = new RingProducer(memory);
    return (frame) =>
      CAPACITY - ring.queuedSamples >= FRAME && ring.write(frame, 0, FRAME, RATE_HZ) === FRAME;
  },
  reader: (memory) => {
    const ring = new RingConsumer(memory);
    const frame = new Int16Array(FRAME);
    return () => {
      if (ring.readableSamples() < FRAME) return -1;
      ring.read(frame, 0, FRAME);
      return edges(frame[0]! & 0xff, (frame[FRAME - 1]! >> 8) & 0xff);
    };
  },
};

/** What agents hear: whole frames, read where they lie. */
const down: RingKind = {
  memory: () => frameRingMemory(RATE_HZ),
  writer: (memory) => {
    const ring = new FrameRingProducer(memory, RATE_HZ);
    return (frame) => ring.write(frame);
  },
  reader: (memory) => {
    const ring = new FrameRingConsumer(memory, RATE_HZ);
    return () => {
      if (ring.waiting() === 0) return -1;
      const bytes = ring.oldest();
      const read = edges(bytes[0]!, bytes[2 * FRAME - 1]!);
      ring.release();
      return read;
    };
  },
};

function edges(first: number, last: number): number {
  return (first << 8) | last;
}

function writeNext(write: (frame: Int16Array) => boolean, frame: Int16Array, number: number): void {
  frame[0] = number;
  frame[FRAME - 1] = number;
  while (!write(frame));
}

function readNext(read: () => number, number: number): void {
  let got = read();
  while (got < 0) got = read();
  if (got !== edges(number & 0xff, (number >> 8) & 0xff)) throw new Error(`frame ${number} is torn`);
}

/** Half of the frames are for the compiler. */
function aloneNs({ memory, writer, reader }: RingKind): number {
  const shared = memory();
  const [write, read, frame] = [writer(shared), reader(shared), new Int16Array(FRAME)];
  let startMs = 0;
  for (let i = -FRAMES; i < FRAMES; i++) {
    if (i === 0) startMs = performance.now();
    writeNext(write, frame, i);
    readNext(read, i);
  }
  return ((performance.now() - startMs) * 1e6) / FRAMES;
}

async function acrossNs({ memory, writer }: RingKind): Promise<number> {
  const shared = memory();
  const thread = new Worker(import.meta.filename, { argv: [kind], workerData: shared });
  const ended = new Promise((resolve, reject) => thread.once('exit', resolve).once('error', reject));
  await new Promise((resolve) => thread.once('message', resolve));
  const [write, frame] = [writer(shared), new Int16Array(FRAME)];
  let startMs = 0;
  for (let i = -FRAMES; i < FRAMES; i++) {
    if (i === 0) startMs = performance.now();
    writeNext(write, frame, i);
  }
  const elapsedMs = performance.now() - startMs;
  await ended;
  return (elapsedMs * 1e6) / FRAMES;
}

function readAll({ reader }: RingKind): void {
  const read = reader(workerData);
  parentPort?.postMessage('ready');
  for (let i = -FRAMES; i < FRAMES; i++) readNext(read, i);
}

const ring = kind === 'up' ? up : down;
if (isMainThread) {
  const figures = {
    'ns a frame, one thread': aloneNs(ring),
    'ns a frame, from thread to thread': await acrossNs(ring),
  };
  console.log(JSON.stringify(figures));
} else {
  readAll(ring);
}
