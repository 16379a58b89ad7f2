import { describe, expect, it } from 'vitest';
import { loadSilero, type NativeSilero } from '../../../../src/native/silero.ts';
import { NeuralVoice } from '../../../../src/speech/vad/neural-voice.ts';
import { framesOf, joined, noise, silence, speech } from '../../../support/speech-signal.ts';

const RATE_HZ = 8_000;
const WINDOW = 256;
/** What onnxruntime 1.30 makes of the published network, window by window, rounded. */
const REFERENCE = [
  0.027, 0.029, 0.031, 0.017, 0.015, 0.014, 0.01, 0.008, 0.011, 0.012, 0.002, 0.003, 0.004, 0.006, 0.013,
  0.013, 0.012, 0.081, 0.827, 0.958, 0.994, 0.999, 0.999, 0.997, 0.998, 1, 1, 0.997, 0.999, 0.999, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.999, 0.998, 0.993, 0.989, 0.973, 0.69, 0.152, 0.278, 0.673,
  0.732, 0.718, 0.583, 0.471, 0.371, 0.289, 0.232, 0.176,
];

const silero = loadSilero();
if (typeof silero === 'string') console.warn(`the neural network is not tested: ${silero}`);

function phrase(): Int16Array {
  const line = noise(320, RATE_HZ, -40);
  return joined(line, speech('Please call me back.', RATE_HZ), line);
}

describe.skipIf(typeof silero === 'string')('the network', () => {
  const network = silero as NativeSilero;

  it('computes what the published one does', () => {
    const state = new Float32Array(network.stateLength);
    const samples = phrase();
    const probabilities = Array.from({ length: Math.floor(samples.length / WINDOW) }, (_, i) =>
      network.probability(state, samples.subarray(i * WINDOW)),
    );
    expect(probabilities.length).toBe(REFERENCE.length);
    for (const [i, probability] of probabilities.entries())
      expect(Math.abs(probability - REFERENCE[i]!), `window ${i}`).toBeLessThan(0.001);
  });

  it('refuses memory that is too short or of another kind', () => {
    const state = new Float32Array(network.stateLength);
    expect(network.probability(state.subarray(1), new Int16Array(WINDOW))).toBe(-1);
    expect(network.probability(state, new Int16Array(WINDOW - 1))).toBe(-1);
    expect(network.probability(state, new Float32Array(WINDOW) as never)).toBe(-1);
    expect(network.probability(undefined as never, null as never)).toBe(-1);
  });

  it('voices do not meet', () => {
    const [one, other, alone] = [new NeuralVoice(), new NeuralVoice(), new NeuralVoice()];
    const quiet = noise(20, RATE_HZ, -40);
    const together = framesOf(phrase(), RATE_HZ).map((frame) => [
      one.take(frame, true),
      other.take(quiet, true),
    ]);
    expect(together.map(([isVoice]) => isVoice)).toEqual(
      framesOf(phrase(), RATE_HZ).map((frame) => alone.take(frame, true)),
    );
    expect(together.some(([, isVoice]) => isVoice)).toBe(false);
  });

  it('a voice ends when its line falls silent', () => {
    const voice = new NeuralVoice();
    const said = framesOf(phrase(), RATE_HZ).map((frame) => voice.take(frame, true));
    expect(said).toContain(true);
    const after = framesOf(silence(400, RATE_HZ), RATE_HZ).map((frame) => voice.take(frame, true));
    expect(after.at(-1)).toBe(false);
  });
});
