import type { Gateway } from '../../test/support/gateway.ts';

/** What one gateway has counted since it started. */
export interface Counters {
  readonly packetsSent: number;
  readonly packetsReceived: number;
  readonly packetsLost: number;
  readonly packetsLate: number;
  readonly framesConcealed: number;
  /** Times that an agent's audio came too late to be played in one go. */
  readonly underruns: number;
  readonly latenessP50Ms: number;
  readonly latenessP99Ms: number;
}

/** Reads `/metrics`. */
export async function readCounters(gateway: Gateway): Promise<Counters> {
  const lines = `${(await gateway.api(null).get('/metrics')).body}`.split('\n');
  const engine = (name: string) => numberOf(lines, `svc_engine_${name}_total`);
  return {
    packetsSent: engine('packets_sent'),
    packetsReceived: engine('packets_received'),
    packetsLost: engine('packets_lost'),
    packetsLate: engine('packets_late'),
    framesConcealed: engine('frames_concealed'),
    underruns: engine('uplink_underruns'),
    latenessP50Ms: latenessMs(lines, 0.5),
    latenessP99Ms: latenessMs(lines, 0.99),
  };
}

function numberOf(lines: readonly string[], name: string): number {
  const line = lines.find((one) => one.startsWith(`${name} `) || one.startsWith(`${name}{`));
  if (line === undefined) throw new Error(`/metrics has no ${name}`);
  return Number(line.slice(line.lastIndexOf(' ') + 1));
}

/** Upper bound of the bucket that holds the quantile; Infinity beyond the last bound. */
function latenessMs(lines: readonly string[], quantile: number): number {
  const buckets = lines.flatMap((line) => {
    const found = /^svc_engine_tick_lateness_seconds_bucket\{le="([^"]+)"\} (\d+)$/.exec(line);
    return found
      ? [{ boundMs: Number(found[1]!.replace('+Inf', 'Infinity')) * 1000, count: Number(found[2]) }]
      : [];
  });
  const rank = quantile * (buckets.at(-1)?.count ?? 0);
  return buckets.find(({ count }) => count >= rank)?.boundMs ?? Number.NaN;
}
