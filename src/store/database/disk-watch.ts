import { statfsSync } from 'node:fs';
import { GatewayError } from '../../base/errors.ts';

/** With less than this the disk counts as full, before a write fails; with twice as much it has room again. */
const LOW_BYTES = 16 * 1_048_576;
const LOOK_INTERVAL_MS = 2_000;
/** After a failed write, at the earliest; a quota shows in nothing but failed writes. */
const RECOVERY_MS = 10_000;
const MEGABYTE = 1_048_576;

/** What SQLite and the operating system say when there is no room, or the disk takes nothing for another reason. */
const REFUSED_WRITE = /^(SQLITE_(FULL|IOERR_(WRITE|SHMSIZE|FSYNC|DIR_FSYNC|TRUNCATE))|ENOSPC|EDQUOT)$/;

export interface DiskWatchOptions {
  /** A folder on the disk. */
  readonly dir: string;
  /** Writes a little; throws when the disk takes nothing. */
  readonly probe: () => void;
}

/** Told when the disk is full, and with null when it has room again. */
type OnChanged = (problem: string | null) => void;

/**
 * Whether the disk takes what is written. It is looked at every two seconds, and a write that fails tells at once. While
 * it is full, requests go on to be answered: those that must write hear `disk_full`.
 */
export class DiskWatch {
  readonly #options: DiskWatchOptions;
  #problem: string | null = null;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #onChanged: OnChanged = () => {};
  #timer: NodeJS.Timeout | null = null;

  constructor(options: DiskWatchOptions) {
    this.#options = options;
  }

  /** Why the disk takes nothing; null: it does. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Begins to look; `onChanged` hears of every change, and nothing twice. */
  watch(onChanged: OnChanged): void {
    this.#onChanged = onChanged;
    this.#look();
    this.#timer ??= setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** What to throw for what a write threw: `disk_full`, or the error itself where it tells of something else. */
  failure(error: unknown): unknown {
    const code = String((error as { code?: unknown } | null)?.code ?? '');
    if (!REFUSED_WRITE.test(code)) return error;
    this.#failedAtMs = performance.now();
    this.#become(this.#problem ?? `The disk takes no writes (${code})`);
    return new GatewayError('disk_full', undefined, { cause: error });
  }

  #look(): void {
    const freeBytes = freeBytesOf(this.#options.dir);
    const wantedBytes = this.#problem === null ? LOW_BYTES : 2 * LOW_BYTES;
    if (freeBytes < wantedBytes)
      this.#become(this.#problem ?? `The disk is full: ${Math.floor(freeBytes / MEGABYTE)} MB are free`);
    else if (this.#problem !== null && performance.now() - this.#failedAtMs >= RECOVERY_MS) this.#tryAgain();
  }

  #tryAgain(): void {
    try {
      this.#options.probe();
      this.#become(null);
    } catch (error) {
      this.failure(error);
    }
  }

  #become(problem: string | null): void {
    const isNew = problem !== this.#problem;
    this.#problem = problem;
    if (isNew) this.#onChanged(problem);
  }
}

/** Infinity where the operating system does not say. */
function freeBytesOf(dir: string): number {
  try {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
