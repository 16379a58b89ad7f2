import * as z from 'zod';
import { assertOperator, newestAccounts, newestFeedback } from '../../accounts/people/operator.ts';
import { productVersion } from '../../base/product-version.ts';
import type { CallRegistry } from '../../calls/call-registry.ts';
import type { Db } from '../../store/database/rows.ts';
import type { LogTail } from '../../telemetry/log-tail.ts';
import type { RecentMetrics } from '../../telemetry/recent-metrics.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { named } from '../schema/fields.ts';

const session = resource('session', 'Operator');

const total = z.number().describe('Since the start');

export const OperatorView = named('OperatorView', {
  version: z.string(),
  node: z.string(),
  data_dir: z.string(),
  started_at: z.string(),
  accounts_total: z.int(),
  accounts: z
    .array(
      z.object({
        account_id: z.string(),
        name: z.string(),
        email: z.string().nullable(),
        created_at: z.string(),
        live_calls: z.int(),
      }),
    )
    .describe('The newest first, at most 500'),
  metrics: z
    .array(
      z.object({
        at: z.string(),
        calls: z.number(),
        memory_bytes: z.number(),
        cpu_seconds: total,
        requests: total,
        late_seconds: total,
        ticks: total,
        refused_calls: total,
      }),
    )
    .describe('Of the last hour, every 10 s, oldest first; `/metrics` has all of them'),
  log: z.array(z.string()).describe('The last 200 lines, oldest first'),
  feedback: z.array(
    z.object({
      message: z.string(),
      surface: z.string().nullable(),
      provider: z.string().nullable(),
      error_detail: z.string().nullable(),
      suggestion_shown: z.string().nullable(),
      created_at: z.string(),
    }),
  ),
});

export interface OperatorSources {
  readonly db: Db;
  readonly calls: Pick<CallRegistry, 'countOf'>;
  readonly dataDir: string;
  readonly startedAt: string;
  readonly recent: RecentMetrics;
  readonly logTail: LogTail;
}

/** How the gateway itself is, for whoever runs it. */
export function operatorRoutes({ db, calls, dataDir, startedAt, recent, logTail }: OperatorSources): Route[] {
  return [
    session.get('/api/operator', {
      operationId: 'getOperatorView',
      summary: 'Get the state of the gateway, its accounts, its log and its metrics of the last hour',
      description: 'Only for the account that was set up with the link that the gateway prints at its start.',
      responses: { 200: { description: 'The state', schema: OperatorView } },
      handler: async ({ principal }) => {
        await assertOperator(db, principal.accountId);
        const [{ accounts, total: count }, feedback] = await Promise.all([
          newestAccounts(db),
          newestFeedback(db),
        ]);
        return reply(200, {
          version: productVersion(),
          node: process.version,
          data_dir: dataDir,
          started_at: startedAt,
          accounts_total: count,
          accounts: accounts.map(({ id, name, email, createdAt }) => ({
            account_id: id,
            name,
            email,
            created_at: createdAt,
            live_calls: calls.countOf(id),
          })),
          metrics: [...recent.samples],
          log: [...logTail.lines],
          feedback: feedback.map((each) => ({
            message: each.message,
            surface: each.surface,
            provider: each.provider,
            error_detail: each.errorDetail,
            suggestion_shown: each.suggestionShown,
            created_at: each.createdAt,
          })),
        });
      },
    }),
  ];
}
