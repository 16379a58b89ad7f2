import * as z from 'zod';
import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { usageOf } from '../../accounts/account/usage.ts';
import { PLATFORMS } from '../../base/platform.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, route } from '../http/routing/route.ts';
import { wholeNumber } from '../schema/fields.ts';

const UsageQuery = z.object({
  days: wholeNumber(1, 366).default(30).describe('Number of days, including today'),
});

const Amounts = z.object({
  calls: z.int().describe('Calls that started'),
  minutes: z.number().describe('Time that calls were active, rounded to hundredths'),
  messages: z.int(),
  bytes: z.int().describe('Bytes of files, sent and received'),
});

const UsageDay = Amounts.extend({
  day: z.string().describe('YYYY-MM-DD, UTC'),
  platform: z.enum(PLATFORMS),
}).meta({ id: 'UsageDay' });
type UsageDay = z.output<typeof UsageDay>;

const Usage = z
  .object({
    first_day: z.string(),
    last_day: z.string(),
    total: Amounts,
    days: z.array(UsageDay).describe('By day and platform; only those with usage'),
  })
  .meta({ id: 'Usage' });

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
