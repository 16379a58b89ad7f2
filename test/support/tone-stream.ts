import { frameSamples } from '../../src/base/frame.ts';
import type { Agent } from './agent.ts';
import { startMediaClock } from './media-clock.ts';
import { tone } from './tone.ts';

const AMPLITUDE = 10_000;

/** Streams a tone that stays `aheadMs` ahead of real time, so that a test process that is late itself leaves no gap. */
export function streamTone(agent: Agent, toneHz: number, aheadMs: number): { stop(): void } {
  const { sampleRateHz } = agent;
  const aheadSamples = Math.round((aheadMs * sampleRateHz) / 1000);
  agent.speak(tone(toneHz, sampleRateHz, aheadSamples, AMPLITUDE));
  const lengthSamples = frameSamples(sampleRateHz);
  return startMediaClock((index) => {
    agent.speak(tone(toneHz, sampleRateHz, lengthSamples, AMPLITUDE, aheadSamples + index * lengthSamples));
  });
}
