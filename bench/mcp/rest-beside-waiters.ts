import type { Gateway } from '../../test/support/gateway.ts';
import { LongPollClient } from '../../test/support/long-poll-client.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { quantile } from '../quantiles.ts';
import { WaitingCalls } from './waiting-calls.ts';

const PROBES = 20;
const PERIOD_MS = 20;

/** `GET /api/calls` at 1,000 requests a second: p99 in milliseconds. */
export async function restP99Ms(gateway: Gateway, seconds: number): Promise<number> {
  const probes = await Promise.all(
    Array.from({ length: PROBES }, () => LongPollClient.open(gateway.httpPort, gateway.agentKey)),
  );
  const delaysMs: number[] = [];
  const endMs = performance.now() + seconds * 1_000;
  const ask = async (probe: LongPollClient, offsetMs: number): Promise<void> => {
    await pause(offsetMs);
    while (performance.now() < endMs) {
      const startMs = performance.now();
      delaysMs.push((await probe.ask('/api/calls')) - startMs);
      await pause(Math.max(0, startMs + PERIOD_MS - performance.now()));
    }
  };
  await Promise.all(probes.map((probe, n) => ask(probe, (n * PERIOD_MS) / PROBES)));
  for (const probe of probes) probe.close();
  return quantile(delaysMs, 0.99);
}

/** The same beside the maximum number of waiting `svc_inbox` calls of these keys. */
export async function besideWaiters<T>(
  gateway: Gateway,
  keys: readonly string[],
  waiters: number,
  measure: () => Promise<T>,
): Promise<T> {
  const calls = WaitingCalls.start(gateway, keys);
  const waitUntil = (what: string, count: number): Promise<unknown> =>
    waitFor(what, async () => (await gateway.metric('svc_inbox_waiters')) === count, 20_000);
  try {
    await waitUntil('all to wait', waiters);
    return await measure();
  } finally {
    calls.stop();
    await waitUntil('none to wait', 0);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
