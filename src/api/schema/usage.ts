import * as z from 'zod';
import { PLATFORMS } from '../../base/platform.ts';
import { wholeNumber } from './query.ts';

export const UsageQuery = z.object({
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
export type UsageDay = z.output<typeof UsageDay>;

export const Usage = z
  .object({
    first_day: z.string(),
    last_day: z.string(),
    total: Amounts,
    days: z.array(UsageDay).describe('By day and platform; only those with usage'),
  })
  .meta({ id: 'Usage' });
