import { readFileSync } from 'node:fs';
import { claimSignalingPorts, type PortClaim } from '../../test/support/free-ports.ts';
import { Gateway } from '../../test/support/gateway.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { CorePlan } from '../bench.ts';
import { cpuSeconds, residentBytes, watchCores } from '../process-usage.ts';
import { HoldingTrunk } from './holding-trunk.ts';

const PLACED_AT_ONCE = 8;
/** Compiler and garbage collector are busy with the calls' coming for so long. */
const SETTLE_MS = 15_000;
/** Above the claims of tests and other generators, and below the ports that Linux hands out by itself. */
const FIRST_RTP_PORT = 20_000;
const LAST_RTP_PORT = 32_766;
const LAST_PORT = 65_535;

export interface IdleCost {
  readonly calls: number;
  /** Share of one core. */
  readonly cores: number;
  readonly bytesPerCall: number;
}

/** Calls that are active and on hold, without audio and without agents. */
export class IdleCalls {
  readonly #gateway: Gateway;
  readonly #trunk: HoldingTrunk;
  readonly #claim: PortClaim;
  readonly #emptyBytes: number;
  #calls = 0;

  private constructor(gateway: Gateway, trunk: HoldingTrunk, claim: PortClaim) {
    this.#gateway = gateway;
    this.#trunk = trunk;
    this.#claim = claim;
    this.#emptyBytes = residentBytes(gateway.pid);
  }

  /** The most calls that ports and open files of this machine allow one account, which may use half of the ports. */
  static limit(): number {
    const files = Number(
      /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1] ?? 1_024,
    );
    const ports = LAST_PORT - FIRST_RTP_PORT;
    return Math.floor(Math.min(files - 200, ports / 2) / 2);
  }

  static async start(cores: CorePlan, maxCalls: number): Promise<IdleCalls> {
    const claim = await claimSignalingPorts(1);
    const gateway = await Gateway.start({
      prefix: cores.gateway,
      env: {
        SVC_MAX_CALLS_PER_ACCOUNT: `${maxCalls}`,
        SVC_BUDGET_MINUTES: '1000000',
        SVC_ENGINE_THREADS: '1',
        SVC_LOG_LEVEL: 'warn',
        SVC_RTP_PORT_MIN: `${FIRST_RTP_PORT}`,
        SVC_RTP_PORT_MAX: `${maxCalls * 4 > LAST_RTP_PORT - FIRST_RTP_PORT ? LAST_PORT : LAST_RTP_PORT}`,
      },
    });
    const trunk = await HoldingTrunk.listen(claim.first);
    await gateway.putTrunk({ host: '127.0.0.1', port: claim.first });
    return new IdleCalls(gateway, trunk, claim);
  }

  async grow(calls: number): Promise<void> {
    while (this.#calls < calls) {
      const batch = Math.min(PLACED_AT_ONCE, calls - this.#calls);
      await Promise.all(Array.from({ length: batch }, () => this.#place()));
      this.#calls += batch;
    }
    await waitFor('all calls to be active', async () => this.#trunk.acknowledged >= calls, 30_000);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  }

  async measure(seconds: number): Promise<IdleCost> {
    const coresUsed = watchCores(() => cpuSeconds(this.#gateway.pid));
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    return {
      calls: this.#calls,
      cores: coresUsed(),
      bytesPerCall: (residentBytes(this.#gateway.pid) - this.#emptyBytes) / Math.max(1, this.#calls),
    };
  }

  async stop(): Promise<void> {
    await this.#gateway.killHard();
    await this.#gateway.stop();
    this.#trunk.close();
    this.#claim.release();
  }

  #place(): Promise<unknown> {
    return this.#gateway.placeCall(`sip:+49301234567@127.0.0.1:${this.#claim.first}`);
  }
}
