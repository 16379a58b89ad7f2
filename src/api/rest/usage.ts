import * as z from 'zod';
import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { usageOf } from '../../accounts/account/usage.ts';
import { PLATFORMS } from '../../base/platform.ts';
import type { UsageDay } from '../../store/people/usage.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { wholeNumber } from '../schema/fields.ts';

const account = resource('account', 'Account');

const UsageQuery = z.object({
  days: wholeNumber(1, 366).default(30).describe('Number of days, including today'),
});

const Amounts = z.object({
  calls: z.int().describe('Calls that started'),
  minutes: z.number().describe('Time that calls were active, rounded to hundredths'),
  messages: z.int(),
  bytes: z.int().describe('Bytes of files, sent and received'),
  tts_characters: z.int().describe('Characters of texts for hosted text-to-speech'),
  tts_seconds: z.number().describe('Audio from hosted text-to-speech, rounded to tenths'),
  stt_seconds: z.number().describe('Audio sent to hosted speech recognition, rounded to tenths'),
});
type Amounts = z.output<typeof Amounts>;

const AmountsOfDay = Amounts.extend({
  day: z.string().describe('YYYY-MM-DD, UTC'),
  platform: z.enum(PLATFORMS),
}).meta({ id: 'UsageDay' });

const Usage = z
  .object({
    first_day: z.string(),
    last_day: z.string(),
    total: Amounts,
    days: z.array(AmountsOfDay).describe('By day and platform; only those with usage'),
  })
  .meta({ id: 'Usage' });

/** `GET /api/usage`: the account's usage by day and platform. */
export function usageRoutes(domain: AccountDomain): Route[] {
  return [
    account.get('/api/usage', {
      operationId: 'getUsage',
      summary: "Get the account's usage by day and platform",
      description: 'Days are in UTC. A call counts for the day on which it started.',
      query: UsageQuery,
      responses: { 200: { description: 'The usage', schema: Usage } },
      handler: async ({ principal, query }) => {
        const usage = await usageOf(domain, principal, query.days);
        return reply(200, {
          first_day: usage.firstDay,
          last_day: usage.lastDay,
          total: amountsOf(usage.days),
          days: usage.days.map((each) => ({
            day: each.day,
            platform: each.platform,
            ...amountsOf([each]),
          })),
        });
      },
    }),
  ];
}

function amountsOf(days: readonly UsageDay[]): Amounts {
  const sumOf = (amount: Exclude<keyof UsageDay, 'day' | 'platform'>): number =>
    days.reduce((sum, day) => sum + day[amount], 0);
  return {
    calls: sumOf('calls'),
    minutes: Math.round(sumOf('minutes') * 100) / 100,
    messages: sumOf('messages'),
    bytes: sumOf('bytes'),
    tts_characters: sumOf('spokenCharacters'),
    tts_seconds: Math.round(sumOf('spokenMs') / 100) / 10,
    stt_seconds: Math.round(sumOf('heardMs') / 100) / 10,
  };
}
