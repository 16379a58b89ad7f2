import { readdirSync, readFileSync, statSync } from 'node:fs';

/** Reserved for more urgent needs than new connections: files, the database, calls and their sockets. */
const RESERVED_PART = 0.1;
const LEAST_RESERVED = 32;
const MOST_RESERVED = 1_000;
const LOOK_INTERVAL_MS = 1_000;
/** Shortest interval between checks while descriptors are short, however many connections are refused. */
const LEAST_INTERVAL_MS = 50;

const OWN_DESCRIPTORS = '/proc/self/fd';
const MAX_OPEN_FILES = /^Max open files\s+(\d+)/m;

/** Limit and current number of file descriptors. The limit is null if the operating system does not report it. */
export interface Descriptors {
  readonly limit: number | null;
  readonly open: () => number;
}

/** The descriptors of this process, on Linux. */
export function ownDescriptors(): Descriptors {
  try {
    const [, limit] = MAX_OPEN_FILES.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return { limit: limit === undefined ? null : Number(limit), open: openDescriptors };
  } catch {
    return { limit: null, open: () => 0 };
  }
}

/** Linux reports the number as the directory's size since 6.2; older kernels require counting. */
function openDescriptors(): number {
  return statSync(OWN_DESCRIPTORS).size || readdirSync(OWN_DESCRIPTORS).length;
}

/** Called when descriptors run short, and with null when they are sufficient again. */
type OnChanged = (problem: string | null) => void;

/**
 * Watches the process's file descriptors. If none were left, nothing could accept the pending connections of a
 * listening socket, and the thread would spin. So connections are refused while half of a reserve is still free. The
 * problem is reported earlier, when the reserve is reached, so that `/readyz` is still reachable.
 */
export class DescriptorWatch {
  readonly #descriptors: Descriptors;
  readonly #reserved: number;
  #free = Number.POSITIVE_INFINITY;
  #problem: string | null = null;
  #refused = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #onChanged: OnChanged = () => {};
  #timer: NodeJS.Timeout | null = null;

  constructor(descriptors = ownDescriptors()) {
    this.#descriptors = descriptors;
    const wanted = Math.floor((descriptors.limit ?? 0) * RESERVED_PART);
    this.#reserved = Math.min(MOST_RESERVED, Math.max(LEAST_RESERVED, wanted));
    this.#look();
  }

  /** The current shortage; null if there is none. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Total number of refused connections. */
  get refused(): number {
    return this.#refused;
  }

  /** Starts checking once a second. `onChanged` is called on every change. */
  watch(onChanged: OnChanged): void {
    this.#onChanged = onChanged;
    this.#timer ??= setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /**
   * Whether to keep a connection that was just accepted. Connections accepted since the last check are counted here.
   */
  admits(): boolean {
    const untouched = this.#reserved / 2;
    const isDue = performance.now() - this.#lookedAtMs >= LEAST_INTERVAL_MS;
    if (this.#free <= untouched && isDue) this.#look();
    if (this.#free <= untouched) {
      this.#refused += 1;
      return false;
    }
    this.#free -= 1;
    return true;
  }

  #look(): void {
    const { limit, open } = this.#descriptors;
    if (limit === null) return;
    this.#lookedAtMs = performance.now();
    this.#free = limit - open();
    const wanted = this.#problem === null ? this.#reserved : this.#reserved + Math.ceil(this.#reserved / 4);
    this.#become(
      this.#free > wanted
        ? null
        : (this.#problem ?? `${limit - this.#free} of ${limit} file descriptors are in use`),
    );
  }

  #become(problem: string | null): void {
    const isNew = problem !== this.#problem;
    this.#problem = problem;
    if (isNew) this.#onChanged(problem);
  }
}
