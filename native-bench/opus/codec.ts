/**
 * A candidate of npm doing what libopus.c does: `node codec.ts name in-file out-file application complexity bits fec lose`.
 * With `count` for `lose` it says how many instances there can be on a thread, and the memory of one.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { candidates, FRAME_SAMPLES, type Pair } from './candidates.ts';

const LOSE_EVERY = 10;
/** Frames until V8 has compiled the code. */
const WARM_UP_PASSES = 3;
const INSTANCES = 1_000;

const [name = '', inFile = '', outFile = '', application, complexity, bits, fec, lose] =
  process.argv.slice(2);
const settings = {
  application: Number(application),
  complexity: Number(complexity),
  bitrateBps: Number(bits),
  fec: fec === '1',
};

const bytes = readFileSync(inFile);
const input = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
const frames = Math.floor(input.length / FRAME_SAMPLES);
const output = new Int16Array(frames * FRAME_SAMPLES);
const create = await candidates[name]!.load();
const warm = await create(settings);
for (let i = 0; i < WARM_UP_PASSES * frames; i++)
  warm.decode(Uint8Array.from(warm.encode(frameAt(i % frames))));

const pair = await create(settings);
const packets: Uint8Array[] = [];
const began = process.cpuUsage();
for (let i = 0; i < frames; i++) packets.push(Uint8Array.from(pair.encode(frameAt(i))));
const encoding = process.cpuUsage(began);
const encoded = process.cpuUsage();
for (let i = 0; i < frames; i++) output.set(decodeAt(pair, i), i * FRAME_SAMPLES);
const decoding = process.cpuUsage(encoded);
writeFileSync(outFile, output);
const packetBytes = packets.reduce((sum, packet) => sum + packet.length, 0) / frames;
const usage = { encodeUs: usOf(encoding) / frames, decodeUs: usOf(decoding) / frames, packetBytes };
console.log(JSON.stringify(lose === 'count' ? await growth() : usage));

function frameAt(index: number): Int16Array {
  return input.subarray(index * FRAME_SAMPLES, (index + 1) * FRAME_SAMPLES);
}

function usOf({ user, system }: NodeJS.CpuUsage): number {
  return user + system;
}

function decodeAt({ decode, conceal, recover }: Pair, index: number): Int16Array {
  const lost = (lose === '1' || lose === '2') && index % LOSE_EVERY === LOSE_EVERY - 1;
  if (!lost) return decode(packets[index]!);
  const next = packets[index + 1];
  const made = lose === '2' && next ? recover?.(next) : conceal?.();
  if (made) return made;
  console.log('{}');
  return process.exit();
}

/** Memory of an instance, and how many there can be on one thread. */
async function growth(): Promise<{ pairKb: number; pairs: number }> {
  const held: Pair[] = [];
  const before = process.memoryUsage.rss();
  try {
    while (held.length < INSTANCES) {
      const next = await create(settings);
      next.decode(Uint8Array.from(next.encode(frameAt(0))));
      held.push(next);
    }
  } catch {
    // It says how many by failing.
  }
  return { pairKb: (process.memoryUsage.rss() - before) / 1_024 / held.length, pairs: held.length };
}
