import { FRAME_MS } from '../../src/base/frame.ts';

/**
 * The test signal. A 20 ms frame holds 20.5 periods, so each frame is the former one upside down: a frame that is lost,
 * doubled or concealed breaks the alternation, and every frame can be prepared beforehand.
 */
export const PROBE_HZ = 1_025;
const AMPLITUDE = 8_000;
const PHASE_TOLERANCE_RAD = 0.5;
const LEVEL_TOLERANCE = 0.3;

/** The even and the odd frame of the signal. */
export function probeFrames(sampleRateHz: number): readonly [Int16Array, Int16Array] {
  const lengthSamples = (sampleRateHz * FRAME_MS) / 1000;
  const even = Int16Array.from({ length: lengthSamples }, (_, i) =>
    Math.round(AMPLITUDE * Math.sin((2 * Math.PI * PROBE_HZ * i) / sampleRateHz)),
  );
  return [even, even.map((sample) => -sample)];
}

/** Listens to one call and counts the frames that do not continue the signal. */
export class ProbeListener {
  /** Frames heard, silence before the signal not counted. */
  frames = 0;
  /** Frames that came at the wrong place or level after the signal had settled. */
  breaks = 0;
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  #lastPhaseRad = 0;

  constructor(sampleRateHz: number) {
    const lengthSamples = (sampleRateHz * FRAME_MS) / 1000;
    const step = (2 * Math.PI * PROBE_HZ) / sampleRateHz;
    this.#cos = Float64Array.from({ length: lengthSamples }, (_, i) => Math.cos(step * i));
    this.#sin = Float64Array.from({ length: lengthSamples }, (_, i) => Math.sin(step * i));
  }

  /** `settled` false: the frame is not yet, or no longer, judged. */
  hear(frame: Int16Array, settled: boolean): void {
    let real = 0;
    let imaginary = 0;
    for (let i = 0; i < frame.length; i++) {
      const sample = frame[i] as number;
      real += sample * (this.#cos[i] as number);
      imaginary += sample * (this.#sin[i] as number);
    }
    const phaseRad = Math.atan2(real, imaginary);
    const amplitude = (2 * Math.hypot(real, imaginary)) / frame.length;
    if (this.frames === 0 && amplitude < AMPLITUDE / 2) return;
    this.frames++;
    const error = phaseRad - this.#lastPhaseRad - Math.PI;
    const wrapped = error - 2 * Math.PI * Math.round(error / (2 * Math.PI));
    const levelOff = Math.abs(amplitude / AMPLITUDE - 1) > LEVEL_TOLERANCE;
    if (settled && (levelOff || Math.abs(wrapped) > PHASE_TOLERANCE_RAD)) this.breaks++;
    this.#lastPhaseRad = phaseRad;
  }
}
