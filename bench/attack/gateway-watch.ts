import { setTimeout as pause } from 'node:timers/promises';
import { mainThreadCpuSeconds, residentBytes } from '../process-usage.ts';

const LOOK_MS = 20;
const IDLE_MS = 1_500;

/** The peak growth of the gateway's memory during an attack. */
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
      // The process has ended; its owner reports why.
    }
  }
}

/** The main thread's CPU time for some work, without the share of the live call and the prober. */
export class MainCpu {
  readonly #pid: number;
  /** CPU milliseconds per millisecond without attacks. */
  readonly #idleShare: number;

  private constructor(pid: number, idleShare: number) {
    this.#pid = pid;
    this.#idleShare = idleShare;
  }

  /** Measures the idle share for a second and a half. */
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
