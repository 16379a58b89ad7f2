import { rmsDbfs } from '../../test/support/levels.ts';
import type { Party } from './conversation.ts';

const TTY_EVERY_MS = 100;
const LOG_EVERY_MS = 1_000;
const METER_CELLS = 12;
const METER_FLOOR_DBFS = -60;

/** Tells how the conversation goes: one line that is rewritten on a terminal, a line a second elsewhere. */
export class Progress {
  readonly #a: Party;
  readonly #b: Party;
  #nextMs = 0;

  constructor(a: Party, b: Party) {
    this.#a = a;
    this.#b = b;
  }

  show(elapsedMs: number, lengthMs: number): void {
    if (elapsedMs < this.#nextMs) return;
    this.#nextMs = elapsedMs + (process.stdout.isTTY ? TTY_EVERY_MS : LOG_EVERY_MS);
    const seconds = `${(Math.min(elapsedMs, lengthMs) / 1000).toFixed(1)} of ${(lengthMs / 1000).toFixed(1)} s`;
    const line = `  ${seconds}   B hears ${meter(this.#b)}   A hears ${meter(this.#a)}`;
    process.stdout.write(process.stdout.isTTY ? `\r\x1b[2K${line}` : `${line}\n`);
  }

  /** Goes on below the line. */
  end(): void {
    if (process.stdout.isTTY) process.stdout.write('\n');
  }
}

function meter({ heard }: Party): string {
  const dbfs = Math.max(rmsDbfs(heard.last), METER_FLOOR_DBFS);
  const lit = Math.round((1 - dbfs / METER_FLOOR_DBFS) * METER_CELLS);
  return `${'#'.repeat(lit)}${'-'.repeat(METER_CELLS - lit)} ${dbfs.toFixed(0).padStart(3)} dBFS`;
}
