import type { Registry } from 'prom-client';
import { registerReadMetric, registerReadValue } from './read-metric.ts';

/** Figures of the bridge threads, read when the metrics are rendered. All but the first two are running totals. */
export interface BridgeReading {
  readonly threads: number;
  /** Transports that take up a place on a thread. */
  readonly transports: number;
  /** Signals dropped because the main thread was behind. */
  readonly droppedSignals: number;
  /** Transports that lost their thread and were placed on another one. */
  readonly resumedTransports: number;
  /** Transports that lost their thread and are gone. */
  readonly lostTransports: number;
}

export type ReadBridges = () => BridgeReading;

export function registerBridgeMetrics(registry: Registry, read: ReadBridges): void {
  registerReadValue(registry, {
    name: 'svc_bridge_threads',
    type: 'gauge',
    help: 'Running bridge threads',
    value: () => read().threads,
  });
  registerReadValue(registry, {
    name: 'svc_bridge_transports',
    type: 'gauge',
    help: 'Transports on bridge threads',
    value: () => read().transports,
  });
  registerReadValue(registry, {
    name: 'svc_bridge_dropped_signals_total',
    type: 'counter',
    help: 'Signals of transports that were dropped because the main thread was behind',
    value: () => read().droppedSignals,
  });
  registerReadMetric(registry, {
    name: 'svc_bridge_thread_losses_total',
    type: 'counter',
    help: 'Transports that lost their bridge thread: resumed on another one, or gone',
    samples: () => [
      { value: read().resumedTransports, labels: { outcome: 'resumed' } },
      { value: read().lostTransports, labels: { outcome: 'gone' } },
    ],
  });
}
