import type { Answer } from './gateway-api.ts';

/** One side of a limit: a value, and what came of it. */
type Side = readonly [value: string, came: string];

/** Limits with a value on either side, for whoever reads what a test prints. */
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

/** An answer in a few words: its status, and what it says is wrong. */
export function inWords({ status, body }: Pick<Answer, 'status' | 'body'>): string {
  const detail = Array.isArray(body?.detail) ? body.detail[0].msg : body?.detail;
  return [status, detail ?? body?.reason].filter(Boolean).join(' ');
}
