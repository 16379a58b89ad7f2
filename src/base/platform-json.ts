import type * as z from 'zod';
import { parseJson } from './json.ts';

/** Parses JSON that a platform sent. Returns undefined when it is not JSON. */
export function platformJson(body: Uint8Array | string): unknown {
  try {
    return parseJson(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** An optional field of a platform's object. If it cannot be read it becomes undefined, and the rest is kept. */
export function field<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}
