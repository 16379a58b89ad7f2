import type * as z from 'zod';
import { parseForeignJson, parseJson } from './json.ts';

/** Parses JSON that a platform sent, of any length. Returns undefined when it is not JSON. */
export function platformJson(body: Uint8Array | string): unknown {
  return parsed(body, (text) => parseJson(text, Number.POSITIVE_INFINITY));
}

/** The same for what a foreign server answers or streams, whose number of values is limited. */
export function foreignJson(body: Uint8Array | string): unknown {
  return parsed(body, parseForeignJson);
}

function parsed(body: Uint8Array | string, parse: (text: string) => unknown): unknown {
  try {
    return parse(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** An optional field of a platform's object. If it cannot be read it becomes undefined, and the rest is kept. */
export function field<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}
