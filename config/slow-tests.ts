import type { Reporter, TestCase } from 'vitest/node';

const LISTED_MS = 300;

declare module 'vitest' {
  interface TaskMeta {
    /** By vitest.unit-setup.ts. */
    tookMs?: number;
  }
}

/** Lists the unit tests that took over 300 ms, slowest first. */
export class SlowTests implements Reporter {
  readonly #slow: { readonly tookMs: number; readonly name: string }[] = [];

  onTestCaseResult(test: TestCase): void {
    const { tookMs = 0 } = test.meta();
    if (tookMs <= LISTED_MS) return;
    this.#slow.push({ tookMs, name: `${test.module.relativeModuleId} > ${test.fullName}` });
  }

  onTestRunEnd(): void {
    if (this.#slow.length === 0) return;
    const lines = this.#slow
      .sort((a, b) => b.tookMs - a.tookMs)
      .map(({ tookMs, name }) => `  ${`${Math.round(tookMs)}`.padStart(6)} ms  ${name}`);
    process.stdout.write(`\n${lines.length} unit tests over ${LISTED_MS} ms:\n${lines.join('\n')}\n`);
  }
}
