import * as z from 'zod';

/** Acknowledges a deletion. */
export const Deleted = z.object({ status: z.literal('deleted') }).meta({ id: 'Deleted' });
