import { statfsSync } from 'node:fs';
import { GatewayError } from '../../base/errors.ts';

/** Below this, the disk counts as full, before writes fail. At twice this, it has room again. */
const LOW_BYTES = 16 * 1_048_576;
const LOOK_INTERVAL_MS = 2_000;
/** Minimum time after a failed write before recovery. A quota is only visible through failed writes. */
const RECOVERY_MS = 10_000;
const MEGABYTE = 1_048_576;

/** Error codes of SQLite and the operating system when the disk is full or refuses writes for another reason. */
const REFUSED_WRITE = /^(SQLITE_(FULL|IOERR_(WRITE|SHMSIZE|FSYNC|DIR_FSYNC|TRUNCATE))|ENOSPC|EDQUOT)$/;

export interface DiskWatchOptions {
  /** A directory on the disk. */
  readonly dir: string;
  /** Writes a little; throws when the disk refuses writes. */
  readonly probe: () => void;
}

/** Called when the disk is full, and with null when it has room again. */
type OnChanged = (problem: string | null) => void;

/**
 * Detects whether the disk accepts writes: checks every two seconds, and reacts immediately to a failed write. While
 * the disk is full the gateway keeps serving requests; those that must write get `disk_full`.
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

  /** Why the disk refuses writes. Null: it accepts them. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Starts checking. `onChanged` is called for changes only. */
  watch(onChanged: OnChanged): void {
    this.#onChanged = onChanged;
    this.#look();
    this.#timer ??= setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Returns the error to throw for a failed write: `disk_full`, or the original error if it has another cause. */
  failure(error: unknown): unknown {
    const code = String((error as { code?: unknown } | null)?.code ?? '');
    if (!REFUSED_WRITE.test(code)) return error;
    this.#failedAtMs = performance.now();
    this.#become(this.#problem ?? `The disk refuses writes (${code})`);
    return new GatewayError('disk_full', undefined, { cause: error });
  }

  #look(): void {
    const freeBytes = freeBytesOf(this.#options.dir);
    const wantedBytes = this.#problem === null ? LOW_BYTES : 2 * LOW_BYTES;
    if (freeBytes < wantedBytes)
      this.#become(this.#problem ?? `The disk is full: ${Math.floor(freeBytes / MEGABYTE)} MB free`);
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

/** Infinity if the operating system does not report it. */
function freeBytesOf(dir: string): number {
  try {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
