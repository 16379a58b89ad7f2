import * as z from 'zod';
import { PLATFORMS } from '../../base/platform.ts';
import { wholeNumber } from './query.ts';

export const UsageQuery = z.object({
  days: wholeNumber(1, 366).default(30).describe('How many days, today included'),
});

const Amounts = z.object({
  calls: z.int().describe('Calls that began'),
  minutes: z.number().describe('How long they were answered, or have been so far; to the hundredth'),
  messages: z.int(),
  bytes: z.int().describe('Of files, both ways'),
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
    days: z.array(UsageDay).describe('By day and platform; those without any use are left out'),
  })
  .meta({ id: 'Usage' });
