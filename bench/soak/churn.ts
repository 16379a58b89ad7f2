import { setTimeout as pause } from 'node:timers/promises';
import { SCRIPTS, type Script } from './judgement.ts';
import type { SoakLine } from './soak-line.ts';

/** How long calls last: uniform between these. */
export interface Holds {
  readonly minMs: number;
  readonly maxMs: number;
}
export const HOLDS: Holds = { minMs: 10_000, maxMs: 70_000 };
/**
 * Before the soak calls of about a second follow each other: it takes 8,000 calls or so until V8 has compiled all that
 * sets up and ends them and its heaps keep their size, for which the soak itself would take 20 minutes.
 */
export const WARM_UP_HOLDS: Holds = { minMs: 500, maxMs: 1_500 };

/** A constant number of calls, each followed by the next, and their results. */
export class Churn {
  readonly ended: Record<string, number> = Object.fromEntries(SCRIPTS.map((script) => [script, 0]));
  readonly failures: string[] = [];
  readonly #line: SoakLine;
  readonly #holds: Holds;
  readonly #nextScript: () => Script;
  #live = 0;

  constructor(line: SoakLine, holds: Holds, nextScript: () => Script) {
    this.#line = line;
    this.#holds = holds;
    this.#nextScript = nextScript;
  }

  get live(): number {
    return this.#live;
  }

  get done(): number {
    return Object.values(this.ended).reduce((sum, count) => sum + count, 0);
  }

  /** Lets calls follow each other until `untilMs`; resolves when the last have ended. */
  async run(calls: number, untilMs: number): Promise<void> {
    await Promise.all(Array.from({ length: calls }, () => this.#follow(untilMs)));
  }

  async #follow(untilMs: number): Promise<void> {
    await pause(Math.random() * this.#holds.maxMs);
    while (performance.now() < untilMs) await this.#lead(this.#nextScript());
  }

  async #lead(script: Script): Promise<void> {
    const { minMs, maxMs } = this.#holds;
    const holdMs = minMs + Math.random() * (maxMs - minMs);
    this.#live++;
    const faults = await this.#line.live(script, holdMs).finally(() => this.#live--);
    this.ended[script] = (this.ended[script] ?? 0) + 1;
    if (faults.length > 0) this.failures.push(`${script}: ${faults.join(', ')}`);
  }
}

/** One in 20 is refused and one in 20 vanishes; the others are shared out. */
export function randomScript(): Script {
  const dice = Math.random();
  if (dice < 0.05) return 'refused';
  if (dice < 0.1) return 'vanished';
  if (dice < 0.4) return 'hung up by the API';
  if (dice < 0.6) return 'hung up by the telephone';
  return dice < 0.8 ? 'inbound, hung up by the API' : 'inbound, hung up by the telephone';
}

/** As above, without the calls that end only when the gateway gives them up. */
export function scriptThatEnds(): Script {
  for (;;) {
    const script = randomScript();
    if (script !== 'vanished') return script;
  }
}
