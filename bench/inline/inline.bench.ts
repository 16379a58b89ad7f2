import type { Bench } from '../bench.ts';
import { voiceDelays } from './voice-delays.ts';

export const inlineBench: Bench = {
  name: 'inline',
  title: 'how long an agent with a model takes on calls, without its model',
  run: voiceDelays,
};
