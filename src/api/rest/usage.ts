import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { usageOf } from '../../accounts/account/usage.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, route } from '../http/routing/route.ts';
import { Usage, type UsageDay, UsageQuery } from '../schema/usage.ts';

/** `GET /api/usage`: the account's usage by day and platform. */
export function usageRoutes(domain: AccountDomain): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/usage',
      access: 'account',
      operationId: 'getUsage',
      summary: "Get the account's usage by day and platform",
      description: 'Days are in UTC. A call counts for the day on which it started.',
      tags: ['Account'],
      query: UsageQuery,
      responses: { 200: { description: 'The usage', schema: Usage } },
      handler: async ({ principal, query }) => {
        const usage = await usageOf(domain, principal, query.days);
        const days = usage.days.map((day) => ({ ...day, minutes: hundredths(day.minutes) }));
        return reply(200, {
          first_day: usage.firstDay,
          last_day: usage.lastDay,
          total: {
            calls: sumOf(days, 'calls'),
            minutes: hundredths(sumOf(usage.days, 'minutes')),
            messages: sumOf(days, 'messages'),
            bytes: sumOf(days, 'bytes'),
          },
          days,
        });
      },
    }),
  ];
}

function sumOf(days: readonly UsageDay[], amount: 'calls' | 'minutes' | 'messages' | 'bytes'): number {
  return days.reduce((sum, day) => sum + day[amount], 0);
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
