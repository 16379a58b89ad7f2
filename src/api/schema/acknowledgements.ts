import * as z from 'zod';

/** Acknowledges a deletion. */
export const Deleted = z.object({ status: z.literal('deleted') }).meta({ id: 'Deleted' });

/** Acknowledges a request that returns no data. */
export const Acknowledged = z.object({ status: z.literal('ok') }).meta({ id: 'Acknowledged' });

/** Acknowledges a text to be spoken, or keys that were pressed. */
export const Said = z
  .object({
    status: z.literal('ok'),
    utterance_id: z
      .string()
      .optional()
      .describe('Identifies the text in `utterance` events; absent for keys'),
  })
  .meta({ id: 'Said' });

/** The same answer whether or not anything was done, so that it reveals nothing. */
export const Done = z.object({ status: z.literal('ok') }).meta({ id: 'Done' });
