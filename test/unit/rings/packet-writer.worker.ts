import { parentPort, workerData } from 'node:worker_threads';
import { PacketRingProducer } from '../../../src/rings/packet-ring.ts';

/** Writes packets of 1 to 64 bytes, with the packet's number in every byte and as the arrival time. */
const { memory, packets } = workerData as { memory: SharedArrayBuffer; packets: number };
const ring = new PacketRingProducer(memory);
const bytes = new Uint8Array(64);

for (let number = 0; number < packets; number++) {
  const length = 1 + (number & 63);
  bytes.fill(number & 0xff, 0, length);
  while (!ring.write(bytes, length, number));
}
parentPort?.postMessage('done');
