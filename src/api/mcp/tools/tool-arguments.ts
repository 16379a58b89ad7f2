import * as z from 'zod';
import { KEY_FORM } from '../../http/idempotency.ts';
import type { Route } from '../../http/route.ts';
import { ValidationError } from '../../http/validation.ts';
import { faultOf } from '../../http/validation-fault.ts';
import type { ValidationFault } from '../../schema/error-body.ts';
import type { Arguments } from './mcp-tool.ts';

/** The argument by which a call takes effect once. */
const KeyArgument = z.object({
  idempotency_key: z
    .string()
    .regex(KEY_FORM)
    .optional()
    .describe(
      'Any text of yours, new for each thing you want done. When you do not know whether it was done, use the tool again with the same arguments and the same key: it is done once and answered alike, for 24 hours',
    ),
});

/** The parts of a request that a tool's arguments are taken from. */
export function inputParts({ params, query, body }: Route, takesKey: boolean): z.ZodType[] {
  const parts = [params, query, body, takesKey ? KeyArgument : undefined];
  return parts.filter((part) => part instanceof z.ZodType);
}

/**
 * Takes a call's arguments apart as its endpoint wants them: each part's schema picks its own. Throws a ValidationError
 * with the faults of all parts.
 */
export function readArguments(route: Route, args: unknown, takesKey: boolean): Arguments {
  const faults: ValidationFault[] = [];
  const read = (schema: Route['body']): unknown => {
    if (schema === undefined || schema === 'raw') return undefined;
    const result = schema.safeParse(args);
    if (!result.success)
      faults.push(...result.error.issues.flatMap((issue) => faultOf(issue, 'arguments', args)));
    return result.data;
  };
  const [params, query, body] = [read(route.params), read(route.query), read(route.body)];
  const keyed = takesKey ? (read(KeyArgument) as z.output<typeof KeyArgument>) : null;
  if (faults.length > 0) throw new ValidationError(faults);
  return { params, query, body, key: keyed?.idempotency_key ?? '' };
}
