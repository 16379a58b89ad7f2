import * as z from 'zod';

export const Alive = z.object({ status: z.literal('ok') }).meta({ id: 'Alive' });

export const Ready = z.object({ status: z.literal('ready') }).meta({ id: 'Ready' });

export const NotReady = z
  .object({
    status: z.literal('not_ready'),
    not_ready: z
      .array(z.object({ name: z.string(), reason: z.string() }))
      .describe('The failed checks and the reasons'),
  })
  .meta({ id: 'NotReady' });
