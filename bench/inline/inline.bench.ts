import type { Bench } from '../bench.ts';
import { heldTurns } from './held-turns.ts';
import { voiceDelays } from './voice-delays.ts';

/** Two benches, so that each can be run by itself. */
export const inlineBenches: readonly Bench[] = [
  {
    name: 'inline-delays',
    title: 'how long an agent with a model takes on calls, without its model',
    run: voiceDelays,
  },
  { name: 'inline-turns', title: 'REST and ticks beside 200 conversations with a turn', run: heldTurns },
];
