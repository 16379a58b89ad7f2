import { readdirSync, readFileSync, statSync } from 'node:fs';

/** Kept for what is more urgent than one more connection: files, the database, calls and their sockets. */
const RESERVED_PART = 0.1;
const LEAST_RESERVED = 32;
const MOST_RESERVED = 1_000;
const LOOK_INTERVAL_MS = 1_000;
/** While they run short, however many come and are turned away. */
const LEAST_INTERVAL_MS = 50;

const OWN_DESCRIPTORS = '/proc/self/fd';
const MAX_OPEN_FILES = /^Max open files\s+(\d+)/m;

/** How many descriptors the process may have, and has; null where the operating system does not say. */
export interface Descriptors {
  readonly limit: number | null;
  readonly open: () => number;
}

/** Of this process, on Linux. */
export function ownDescriptors(): Descriptors {
  try {
    const [, limit] = MAX_OPEN_FILES.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return { limit: limit === undefined ? null : Number(limit), open: openDescriptors };
  } catch {
    return { limit: null, open: () => 0 };
  }
}

/** Linux says it as the folder's size since 6.2; before, one has to count. */
function openDescriptors(): number {
  return statSync(OWN_DESCRIPTORS).size || readdirSync(OWN_DESCRIPTORS).length;
}

/** Told when descriptors run short, and with null when there are enough again. */
type OnChanged = (problem: string | null) => void;

/**
 * Watches over the process' descriptors. Without any left, a listening socket stays readable and nobody can take its
 * connections, so that the thread would spin; so connections are turned away while a reserve is left. It is told of
 * earlier, so that whoever asks `/readyz` still gets in.
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

  /** Why no connections are taken; null: they are. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Connections that were turned away, ever. */
  get refused(): number {
    return this.#refused;
  }

  /** Begins to look, once a second; `onChanged` hears of every change, and nothing twice. */
  watch(onChanged: OnChanged): void {
    this.#onChanged = onChanged;
    this.#timer ??= setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Whether one more connection, which is open already, may stay. Those of the last second are counted here. */
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
