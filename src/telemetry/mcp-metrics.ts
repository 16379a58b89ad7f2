import type { Registry } from 'prom-client';
import { registerReadMetric, registerReadValue } from './read-metric.ts';

/** Figures of the MCP server. */
export interface McpReading {
  /** Open sessions. */
  readonly sessions: number;
  /** Requests answered outside sessions, by the fast path and by the SDK. */
  readonly fast: number;
  readonly sdk: number;
  /** Sessions refused at the limit. */
  readonly refused: number;
  /** Streams refused at the limit. */
  readonly streamsRefused: number;
  /** Ended sessions by reason. */
  readonly ended: ReadonlyMap<string, number>;
}

export type ReadMcp = () => McpReading;

export function registerMcpMetrics(registry: Registry, read: ReadMcp): void {
  registerReadValue(registry, {
    name: 'svc_mcp_sessions',
    type: 'gauge',
    help: 'Open MCP sessions',
    value: () => read().sessions,
  });
  registerReadMetric(registry, {
    name: 'svc_mcp_sessions_ended_total',
    type: 'counter',
    help: 'Ended MCP sessions, by reason',
    samples: () => Array.from(read().ended, ([reason, value]) => ({ value, labels: { reason } })),
  });
  registerReadValue(registry, {
    name: 'svc_mcp_sessions_refused_total',
    type: 'counter',
    help: 'MCP sessions refused at the limit',
    value: () => read().refused,
  });
  registerReadValue(registry, {
    name: 'svc_mcp_streams_refused_total',
    type: 'counter',
    help: 'MCP streams refused at the limit',
    value: () => read().streamsRefused,
  });
  registerReadMetric(registry, {
    name: 'svc_mcp_answers_total',
    type: 'counter',
    help: 'MCP requests outside sessions, answered by the fast path or by the SDK',
    samples: () => [
      { value: read().fast, labels: { by: 'fast_path' } },
      { value: read().sdk, labels: { by: 'sdk' } },
    ],
  });
}
