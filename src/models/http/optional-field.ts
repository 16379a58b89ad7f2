import type * as z from 'zod';

/** A field of a provider's answer that may be missing. If it cannot be read it becomes undefined, and the rest is kept. */
export function optionalField<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}
