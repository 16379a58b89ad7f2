import { parentPort, workerData } from 'node:worker_threads';
import { RingProducer } from '../../../src/rings/ring-producer.ts';

/** Writes frames of 1 to 8 samples, with the frame number in every sample, and a mark every 1,000 frames. */
const { memory, frames } = workerData as { memory: SharedArrayBuffer; frames: number };
const ring = new RingProducer(memory);
const samples = new Int16Array(8);
const rates = [8_000, 16_000, 48_000];

for (let number = 0; number < frames; number++) {
  const length = 1 + (number & 7);
  samples.fill(number & 0x7fff, 0, length);
  const rateHz = rates[Math.floor(number / 5_000) % rates.length] as number;
  let written = 0;
  while (written < length) written += ring.write(samples, written, length - written, rateHz);
  if (number % 1_000 === 999) while (!ring.writeMark(number));
}
parentPort?.postMessage('done');
