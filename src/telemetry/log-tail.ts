const MAX_LINES = 200;
const MAX_LINE_LENGTH = 4_000;

/** The last log lines, for the operator's page. They are those of the log, without secrets. */
export class LogTail {
  readonly #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line.slice(0, MAX_LINE_LENGTH).trimEnd());
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  }

  /** Oldest first. */
  get lines(): readonly string[] {
    return this.#lines;
  }
}
