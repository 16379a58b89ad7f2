import type { Gateway } from '../../test/support/gateway.ts';
import { difference, type Histogram, quantileBound, readHistogram } from '../metrics-histogram.ts';
import type { TickReport } from './call-system.ts';

const MS_PER_S = 1_000;

/** What a gateway's metrics say of the engine's ticks. */
export interface Ticks {
  /** In seconds. */
  readonly lateness: Histogram;
  readonly skipped: number;
}

export async function readTicks(gateway: Gateway): Promise<Ticks> {
  const metrics = `${(await gateway.api(null).get('/metrics')).body}`;
  const skipped = Number(
    /^svc_engine_skipped_ticks_total(?:\{.*\})? (\S+)$/m.exec(metrics)?.[1] ?? Number.NaN,
  );
  return { lateness: readHistogram(metrics, 'svc_engine_tick_lateness_seconds'), skipped };
}

/** Starts to watch a gateway's clock. The returned function reports on it. */
export async function watchTicks(gateway: Gateway): Promise<() => Promise<TickReport>> {
  const before = await readTicks(gateway);
  return async () => {
    const after = await readTicks(gateway);
    const latenessS = quantileBound(difference(before.lateness, after.lateness), 0.999);
    return { latenessP999Ms: latenessS * MS_PER_S, skipped: after.skipped - before.skipped };
  };
}
