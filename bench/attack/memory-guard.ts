import { residentBytes } from '../process-usage.ts';

const LOOK_MS = 25;
/** The gateway is stopped at this size, before the machine starts to swap. */
export const MOST_BYTES = 2e9;

/** Tracks the peak memory of a process and stops it before it exhausts the machine's. */
export class MemoryGuard {
  #pid: number;
  #peakBytes = 0;
  #hasStopped = false;
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  /** Returns the peak since the last call. */
  takePeakBytes(): number {
    const peak = this.#peakBytes;
    this.#peakBytes = 0;
    return peak;
  }

  /** Whether it had to stop the process. */
  get hasStopped(): boolean {
    return this.#hasStopped;
  }

  watch(pid: number): void {
    this.#pid = pid;
    this.#hasStopped = false;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const bytes = bytesOf(this.#pid);
    this.#peakBytes = Math.max(this.#peakBytes, bytes);
    if (bytes < MOST_BYTES || this.#hasStopped) return;
    this.#hasStopped = true;
    process.kill(this.#pid, 'SIGKILL');
  }
}

/** Returns 0 if the process has ended. */
function bytesOf(pid: number): number {
  try {
    return residentBytes(pid) || 0;
  } catch {
    return 0;
  }
}
