import * as z from 'zod';
import { GatewayError } from '../../base/errors.ts';
import { errorBody } from '../http/answer/error-reply.ts';
import { reply, replyBytes } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { ErrorBody } from '../schema/error-body.ts';
import { named } from '../schema/fields.ts';

const Alive = named('Alive', { status: z.literal('ok') });

const Ready = named('Ready', { status: z.literal('ready') });

const NotReady = named('NotReady', {
  ...ErrorBody.shape,
  status: z.literal('not_ready'),
  not_ready: z
    .array(z.object({ name: z.string(), reason: z.string() }))
    .describe('The failed checks and the reasons'),
});

const open = resource('public', 'System');

/** Prometheus text exposition format 0.0.4. */
const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** A condition that must hold before the gateway can work. */
export interface ReadinessCheck {
  readonly name: string;
  /** Null if the condition holds, otherwise the reason. Must be synchronous and fast. */
  readonly problem: () => string | null;
}

export interface SystemSources {
  readonly readiness: readonly ReadinessCheck[];
  /** The metrics in Prometheus text format. */
  readonly metrics: () => Promise<string>;
}

/** Routes for operators and orchestrators. They need no credential. */
export function systemRoutes({ readiness, metrics }: SystemSources): Route[] {
  return [
    open.get('/healthz', {
      operationId: 'getHealth',
      summary: 'Check whether the process is running',
      isProbe: true,
      responses: { 200: { description: 'It is', schema: Alive } },
      handler: () => reply(200, { status: 'ok' as const }),
    }),
    readyz(readiness),
    open.get('/metrics', {
      operationId: 'getMetrics',
      summary: 'Get the metrics in Prometheus text format',
      responses: { 200: { description: 'The metrics', contentType: METRICS_CONTENT_TYPE } },
      handler: async () => replyBytes(200, METRICS_CONTENT_TYPE, await metrics()),
    }),
  ];
}

function readyz(checks: readonly ReadinessCheck[]): Route {
  return open.get('/readyz', {
    operationId: 'getReadiness',
    summary: 'Check whether the gateway can take calls',
    isProbe: true,
    responses: {
      200: { description: 'It can', schema: Ready },
      503: { description: 'Not now', schema: NotReady },
    },
    handler: () => {
      const notReady = checks.flatMap(({ name, problem }) => {
        const reason = problem();
        return reason === null ? [] : [{ name, reason }];
      });
      return notReady.length === 0
        ? reply(200, { status: 'ready' as const })
        : reply(503, {
            ...errorBody(new GatewayError('not_ready')),
            status: 'not_ready' as const,
            not_ready: notReady,
          });
    },
  });
}
