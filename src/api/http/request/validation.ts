import type { z } from 'zod';
import type { ValidationFault } from '../../schema/error-body.ts';
import { faultOf, type RequestPart } from './validation-fault.ts';

/** A megabyte of faults would be answered with fifty. */
const MAX_FAULTS = 100;

/** A request that its route's schemas refuse; answers 422 with its faults, the first hundred at most. */
export class ValidationError extends Error {
  readonly faults: readonly ValidationFault[];

  constructor(faults: readonly ValidationFault[]) {
    super('request is not valid');
    this.name = 'ValidationError';
    this.faults = faults.slice(0, MAX_FAULTS);
  }
}

/** Parses one part of a request, or throws a ValidationError that names all its faults. */
export function validate(schema: z.ZodType, part: RequestPart, input: unknown): unknown {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new ValidationError(result.error.issues.flatMap((issue) => faultOf(issue, part, input)));
}
