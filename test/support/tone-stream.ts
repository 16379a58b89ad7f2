import { frameSamples } from '../../src/base/frame.ts';
import type { Agent } from './agent.ts';
import { startMediaClock } from './media-clock.ts';
import { tone } from './tone.ts';

/** Streams a tone that stays `aheadMs` ahead of real time, so that a test process that is late itself leaves no gap. */
export function streamTone(agent: Agent, toneHz: number, aheadMs: number): { stop(): void } {
  const { sampleRateHz } = agent;
  const aheadSamples = Math.round((aheadMs * sampleRateHz) / 1000);
  agent.speak(tone(toneHz, sampleRateHz, aheadSamples));
  const lengthSamples = frameSamples(sampleRateHz);
  return startMediaClock((index) => {
    const fromSample = aheadSamples + index * lengthSamples;
    agent.speak(tone(toneHz, sampleRateHz, lengthSamples, { fromSample }));
  });
}
