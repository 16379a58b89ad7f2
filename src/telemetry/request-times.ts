import { histogramSamples, type ReadMetrics, type Sample } from './read-metric.ts';

const NAME = 'svc_http_request_duration_seconds';

/** Bucket bounds in seconds, from answers out of memory to long waits. */
const BOUNDS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];

/** Methods with their own series; clients can make up any others. */
const METHODS = new Set(['get', 'head', 'post', 'put', 'patch', 'delete', 'options']);

/** Data of one answered request. `path` is the declared path; null if no route matches. */
export interface AnsweredRequest {
  readonly method: string;
  readonly path: string | null;
  readonly status: number;
  readonly durationMs: number;
}

class Series {
  readonly counts = new Float64Array(BOUNDS_S.length + 1);
  sumS = 0;

  count(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS_S.length && seconds > BOUNDS_S[bucket]!) bucket += 1;
    this.counts[bucket]! += 1;
    this.sumS += seconds;
  }
}

type ByStatus = Map<number, Series>;
type ByMethod = Map<string, ByStatus>;

/**
 * Histogram of request durations. The library's own looks up labels for every value, which takes a tenth of a request's
 * time.
 */
export class RequestTimes {
  readonly #byPath = new Map<string | null, ByMethod>();

  register(metrics: ReadMetrics): void {
    metrics.samples('histogram', NAME, 'Time from a request to its response', () => this.#samples());
  }

  count({ method, path, status, durationMs }: AnsweredRequest): void {
    const byMethod = entry(this.#byPath, path, () => new Map<string, ByStatus>());
    const byStatus = entry(byMethod, METHODS.has(method) ? method : 'other', () => new Map<number, Series>());
    entry(byStatus, status, () => new Series()).count(durationMs / 1_000);
  }

  #samples(): Sample[] {
    return [...this.#byPath].flatMap(([path, byMethod]) =>
      [...byMethod].flatMap(([method, byStatus]) =>
        [...byStatus].flatMap(([status, series]) =>
          histogramSamples(NAME, { method, path: path ?? 'none', status }, BOUNDS_S, series),
        ),
      ),
    );
  }
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = create();
  map.set(key, made);
  return made;
}
