import { quantile } from '../quantiles.ts';
import type { Target } from './attack.ts';
import { MainCpu } from './gateway-watch.ts';
import type { Tenant } from './member.ts';
import type { Notes } from './notes.ts';

const MAX_P99_MS = 50;

/** What happens while another account asks for its calls again and again. */
export interface Meanwhile {
  readonly what: string;
  readonly quiet: Tenant;
  readonly lastsMs: number;
  /** Of the main thread, with what the other account's own requests take. */
  readonly mostShare: number;
}

/** Measures another account's REST, and the main thread, from the moment that `begin` is called. */
export async function demandQuiet(
  { pid }: Target,
  notes: Notes,
  { what, quiet, lastsMs, mostShare }: Meanwhile,
  begin: () => unknown,
): Promise<void> {
  const cpu = await MainCpu.of(pid);
  const latenciesMs: number[] = [];
  const cpuMs = await cpu.msOf(async () => {
    begin();
    const untilMs = performance.now() + lastsMs;
    while (performance.now() < untilMs) {
      const sinceMs = performance.now();
      await quiet.agentApi.get('/api/calls');
      latenciesMs.push(performance.now() - sinceMs);
    }
  });
  const p99Ms = quantile(latenciesMs, 0.99);
  notes.demand(p99Ms < MAX_P99_MS, `p99 of another account's REST during ${what}, ms`, p99Ms.toFixed(1));
  const share = cpuMs / lastsMs;
  notes.demand(share < mostShare, `share of the main thread during ${what}`, share.toFixed(2));
}
