import { setTimeout as pause } from 'node:timers/promises';
import { mainThreadCpuSeconds, residentBytes } from '../process-usage.ts';

const LOOK_MS = 20;
const IDLE_MS = 1_500;

/** How much more memory the gateway takes than at the beginning, at most, while somebody attacks it. */
export class GrowthWatch {
  readonly #pid: number;
  readonly #beforeBytes: number;
  readonly #timer: NodeJS.Timeout;
  #mostBytes = 0;

  constructor(pid: number) {
    this.#pid = pid;
    this.#beforeBytes = residentBytes(pid);
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  get growthMb(): number {
    this.#look();
    return Math.round(this.#mostBytes / 1e6);
  }

  stop(): number {
    clearInterval(this.#timer);
    return this.growthMb;
  }

  #look(): void {
    try {
      this.#mostBytes = Math.max(this.#mostBytes, (residentBytes(this.#pid) || 0) - this.#beforeBytes);
    } catch {
      // It has ended: whoever watches over it says why.
    }
  }
}

/** What the main thread spends on something, beyond what the live call and its prober take anyway. */
export class MainCpu {
  readonly #pid: number;
  /** Milliseconds of CPU in a millisecond. */
  readonly #idleShare: number;

  private constructor(pid: number, idleShare: number) {
    this.#pid = pid;
    this.#idleShare = idleShare;
  }

  /** Looks at it for a second and a half, in which nobody attacks. */
  static async of(pid: number): Promise<MainCpu> {
    const { cpuMs, elapsedMs } = await spent(pid, () => pause(IDLE_MS));
    return new MainCpu(pid, cpuMs / elapsedMs);
  }

  async msOf(work: () => Promise<void>): Promise<number> {
    const { cpuMs, elapsedMs } = await spent(this.#pid, work);
    return Math.max(0, cpuMs - this.#idleShare * elapsedMs);
  }
}

async function spent(pid: number, work: () => Promise<void>) {
  const [beforeS, beganMs] = [mainThreadCpuSeconds(pid), performance.now()];
  await work();
  return {
    cpuMs: (mainThreadCpuSeconds(pid) - beforeS) * 1_000,
    elapsedMs: performance.now() - beganMs,
  };
}
