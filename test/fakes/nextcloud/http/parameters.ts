import * as z from 'zod';
import { OcsError } from './nc-answer.ts';
import { headerOf, type NcRequest } from './nc-request.ts';

/** PHP casts what comes in queries and forms. */
export const whole = z.union([z.number().int(), z.string().regex(/^-?\d+$/)]).transform(Number);
export const flag = z
  .union([z.boolean(), z.literal([0, 1, '0', '1', 'true', 'false'])])
  .transform((value) => value === true || value === 1 || value === '1' || value === 'true');

/** Returns the parameters of a request: those of the query, then those of the body. Throws OcsError. */
export function parametersOf<Schema extends z.ZodType>(request: NcRequest, schema: Schema): z.output<Schema> {
  const { format: _format, ...query } = Object.fromEntries(request.query);
  const parsed = schema.safeParse({ ...query, ...bodyOf(request) });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw mistaken(`${issue?.path.join('.')}: ${issue?.message}`);
}

function bodyOf(request: NcRequest): object {
  if (request.body.length === 0) return {};
  const type = headerOf(request, 'content-type').split(';')[0];
  const text = request.body.toString('utf8');
  if (type === 'application/x-www-form-urlencoded') return Object.fromEntries(new URLSearchParams(text));
  if (type !== 'application/json') throw mistaken(`a body of type ${type}`);
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json;
  } catch {
    // Said below.
  }
  throw mistaken('the body is no JSON object');
}

function mistaken(message: string): OcsError {
  return new OcsError(400, { message, isMistake: true });
}
