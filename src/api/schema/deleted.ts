import * as z from 'zod';

/** Acknowledges that something is gone. */
export const Deleted = z.object({ status: z.literal('deleted') }).meta({ id: 'Deleted' });
