import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HOOK = fileURLToPath(new URL('./kill-at-write.cjs', import.meta.url));

/** A write of a gateway to its database, and on which side of it the gateway dies. */
export interface WriteStep {
  /** From 1, counted from the arming. */
  readonly nth: number;
  readonly when: 'before' | 'after';
}

/** Counts the writes of a gateway, and kills it at one of them (`kill-at-write.cjs`). */
export class WriteSteps {
  readonly #folder = mkdtempSync(join(tmpdir(), 'write-steps-'));
  readonly #file = join(this.#folder, 'plan');

  /** Settings of the gateway. */
  get env(): Readonly<Record<string, string>> {
    return { KILL_AT_WRITE: this.#file, NODE_OPTIONS: `--require ${HOOK}` };
  }

  /** Kills at this write from now on; without one, only counts. */
  arm({ nth, when }: WriteStep = { nth: 0, when: 'before' }): void {
    writeFileSync(`${this.#file}.log`, '');
    writeFileSync(this.#file, JSON.stringify({ nth, when }));
  }

  /** Returns the SQL of the writes since it was armed, the last one being that at which the gateway died. */
  disarm(): string[] {
    rmSync(this.#file, { force: true });
    return readFileSync(`${this.#file}.log`, 'utf8').split('\n').slice(0, -1);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Returns every side of each of so many writes, or of every `share`-th one. */
export function stepsOf(writes: number, share: number): WriteStep[] {
  const all = Array.from({ length: writes }, (_, i) =>
    (['before', 'after'] as const).map((when) => ({ nth: i + 1, when })),
  ).flat();
  return all.filter((_, i) => i % share === 0);
}
