/** The program of filter.h for resamplers in TypeScript: `node filter.ts ours|npm in-rate out-rate in-file out-file quality`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Resampler } from '../../src/audio/resampler.ts';
import { frameSamples } from '../../src/base/frame.ts';

const REPEATS = 10;
const SETTLED_FRAMES = 25;
/** For the compiler, which works beside us on the same core. */
const WARM_UP_MS = 200;

/** Converts one frame into `output` at `from`; returns how many samples came out. */
type Convert = (frame: Int16Array, output: Int16Array, from: number) => number;

/** What the npm package speex-resampler offers. */
interface SpeexModule {
  readonly default: {
    new (
      channels: number,
      inRateHz: number,
      outRateHz: number,
      quality: number,
    ): { processChunk(chunk: Buffer): Buffer };
    readonly initPromise: Promise<void>;
  };
}

const [kind, inRate, outRate, inFile = '', outFile = '', quality] = process.argv.slice(2);
const [inRateHz, outRateHz] = [Number(inRate), Number(outRate)];
const frameLength = frameSamples(inRateHz);

function ours(): Convert {
  const resampler = new Resampler(inRateHz, outRateHz, frameLength);
  return (frame, output, from) => {
    const made = resampler.process(frame, frame.length);
    output.set(made, from);
    return made.length;
  };
}

async function speexFromNpm(): Promise<() => Convert> {
  const { default: SpeexResampler } = createRequire(import.meta.url)('speex-resampler') as SpeexModule;
  await SpeexResampler.initPromise;
  return () => {
    const resampler = new SpeexResampler(1, inRateHz, outRateHz, Number(quality));
    return (frame, output, from) => {
      const made = resampler.processChunk(Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength));
      output.set(new Int16Array(made.buffer, made.byteOffset, made.length / 2), from);
      return made.length / 2;
    };
  };
}

const bytes = readFileSync(inFile);
const input = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
const frames = Array.from({ length: Math.floor(input.length / frameLength) }, (_, i) =>
  input.slice(i * frameLength, (i + 1) * frameLength),
);
const output = new Int16Array(Math.ceil((input.length * outRateHz) / inRateHz) + frames.length);
const makeConvert = kind === 'ours' ? ours : await speexFromNpm();
let heldMs = 0;

function convertAll(): number {
  const convert = makeConvert();
  let made = 0;
  for (let i = 0; i < frames.length; i++) {
    made += convert(frames[i]!, output, made);
    const behindMs = ((i + 1) * frameLength * 1000) / inRateHz - (made * 1000) / outRateHz;
    if (i >= SETTLED_FRAMES) heldMs = Math.max(heldMs, behindMs);
  }
  return made;
}

const made = convertAll();
const warmMs = performance.now() + WARM_UP_MS;
while (performance.now() < warmMs) convertAll();
const startMs = performance.now();
for (let i = 0; i < REPEATS; i++) convertAll();
const frameUs = ((performance.now() - startMs) * 1000) / REPEATS / frames.length;
writeFileSync(outFile, output.subarray(0, made));
console.log(JSON.stringify({ frameUs, heldMs }));
