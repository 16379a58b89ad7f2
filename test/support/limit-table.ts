import type { Answer } from './gateway-api.ts';

/** One side of a limit: a value, and its result. */
type Side = readonly [value: string, came: string];

/** Limits with a value on either side, for readers of the test's output. */
export class LimitTable {
  readonly #rows: string[][] = [['limit', 'within', 'answer', 'beyond', 'answer']];

  add(limit: string, within: Side, beyond: Side): void {
    this.#rows.push([limit, ...within, ...beyond]);
  }

  toString(): string {
    const widths = this.#rows[0]!.map((_, column) =>
      Math.max(...this.#rows.map((row) => row[column]!.length)),
    );
    return this.#rows
      .map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | '))
      .join('\n');
  }
}

/** An answer in a few words: its status and error. */
export function inWords({ status, body }: Pick<Answer, 'status' | 'body'>): string {
  const detail = Array.isArray(body?.detail) ? body.detail[0].msg : body?.detail;
  return [status, detail ?? body?.reason].filter(Boolean).join(' ');
}
