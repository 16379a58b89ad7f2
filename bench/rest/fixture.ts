import { writeFileSync } from 'node:fs';
import * as z from 'zod';
import { CallParams, CallStatus, SayBody } from '../../src/api/schema/call.ts';
import { ErrorBody } from '../../src/api/schema/error-body.ts';

/** What the anchor answers from: the same key, the same call, and the gateway's own schemas as JSON Schema. */
export function writeFixture(path: string, key: string, call: unknown): void {
  const schemas = {
    params: jsonSchema(CallParams),
    // The gateway's own reads a number from text, which JSON Schema leaves to Fastify.
    query: { type: 'object', properties: { since: { type: 'integer', minimum: 0, default: 0 } } },
    call: jsonSchema(CallStatus),
    say: jsonSchema(SayBody),
    error: jsonSchema(ErrorBody),
  };
  writeFileSync(path, JSON.stringify({ key, call, schemas }));
}

function jsonSchema(schema: z.ZodType): unknown {
  const { $schema, ...described } = z.toJSONSchema(schema, { target: 'draft-7' });
  return described;
}
