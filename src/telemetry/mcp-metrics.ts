import type { Registry } from 'prom-client';
import { registerReadMetric } from './read-metric.ts';

/** What happens at the MCP server. */
export interface McpReading {
  /** Open now. */
  readonly sessions: number;
  /** Answers outside sessions, without the SDK and by it. */
  readonly fast: number;
  readonly sdk: number;
  /** Sessions that there was no room for. */
  readonly refused: number;
  /** Streams that there was no room for. */
  readonly streamsRefused: number;
  /** Sessions that are over, by why. */
  readonly ended: ReadonlyMap<string, number>;
}

export type ReadMcp = () => McpReading;

export function registerMcpMetrics(registry: Registry, read: ReadMcp): void {
  registerReadMetric(registry, {
    name: 'svc_mcp_sessions',
    type: 'gauge',
    help: 'MCP sessions that are open',
    samples: () => [{ value: read().sessions, labels: {} }],
  });
  registerReadMetric(registry, {
    name: 'svc_mcp_sessions_ended_total',
    type: 'counter',
    help: 'MCP sessions that are over, by why',
    samples: () => Array.from(read().ended, ([reason, value]) => ({ value, labels: { reason } })),
  });
  registerReadMetric(registry, {
    name: 'svc_mcp_sessions_refused_total',
    type: 'counter',
    help: 'MCP sessions that there was no room for',
    samples: () => [{ value: read().refused, labels: {} }],
  });
  registerReadMetric(registry, {
    name: 'svc_mcp_streams_refused_total',
    type: 'counter',
    help: 'MCP streams that there was no room for',
    samples: () => [{ value: read().streamsRefused, labels: {} }],
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
