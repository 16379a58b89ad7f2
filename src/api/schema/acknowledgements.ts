import * as z from 'zod';

/** Acknowledges a deletion. */
export const Deleted = z.object({ status: z.literal('deleted') }).meta({ id: 'Deleted' });

/** Acknowledges a request that returns no data. */
export const Acknowledged = z.object({ status: z.literal('ok') }).meta({ id: 'Acknowledged' });

/** The same answer whether or not anything was done, so that it reveals nothing. */
export const Done = z.object({ status: z.literal('ok') }).meta({ id: 'Done' });
