import { Histogram, type Registry } from 'prom-client';
import type { TurnMetrics } from '../base/speech.ts';

const BUCKETS_S = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 30];

const PARTS = ['total', 'endpointing', 'recognizer', 'model', 'synthesis', 'playout'] as const;

/** The metrics of the turns of conversations on calls. */
export class TurnTimes {
  readonly #seconds;

  constructor(registry: Registry) {
    this.#seconds = new Histogram({
      name: 'svc_turn_seconds',
      help: 'Time from the end of what the far end of a call said to the first sound of the answer, on its side of all buffers, and its parts',
      labelNames: ['platform', 'part'] as const,
      buckets: BUCKETS_S,
      registers: [registry],
    });
  }

  measured(platform: string, turn: TurnMetrics): void {
    for (const part of PARTS) {
      const milliseconds = turn[`${part}_ms`];
      if (milliseconds !== null) this.#seconds.observe({ platform, part }, milliseconds / 1000);
    }
  }
}
