import type { z } from 'zod';
import type { ValidationFault } from '../../schema/error-body.ts';
import { faultOf, type RequestPart } from './validation-fault.ts';

/** Without a limit, a megabyte of faults would produce an answer of fifty megabytes. */
const MAX_FAULTS = 100;

/** A request that fails its route's schemas. Answers 422 with at most 100 faults. */
export class ValidationError extends Error {
  readonly faults: readonly ValidationFault[];

  constructor(faults: readonly ValidationFault[]) {
    super('request is not valid');
    this.name = 'ValidationError';
    this.faults = faults.slice(0, MAX_FAULTS);
  }
}

/** Parses one part of a request. Throws a ValidationError that lists all its faults. */
export function validate(schema: z.ZodType, part: RequestPart, input: unknown): unknown {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new ValidationError(result.error.issues.flatMap((issue) => faultOf(issue, part, input)));
}
