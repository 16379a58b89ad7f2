import * as z from 'zod';
import { ERROR_CODES } from '../../base/errors.ts';

const Code = z
  .enum(ERROR_CODES)
  .meta({ id: 'ErrorCode', description: 'What went wrong, for programs. A code always has the same status' });

/** Body of every error except a failed validation. */
export const ErrorBody = z
  .object({ detail: z.string().describe('What went wrong, for people'), code: Code })
  .meta({ id: 'Error', description: 'An error' });
export type ErrorBody = z.output<typeof ErrorBody>;

/** One fault of a request: its location, a message and a code. */
export const ValidationFault = z
  .object({
    loc: z
      .array(z.union([z.string(), z.number().int()]))
      .describe('`body`, `query` or `path`, then the path to the field'),
    msg: z.string(),
    type: z.string().describe('Error code, for example `missing`, `string_type`, `enum`, `json_invalid`'),
  })
  .meta({ id: 'ValidationFault', description: 'One error in a request' });
export type ValidationFault = z.output<typeof ValidationFault>;

/** The answer to a request that fails validation. */
export const ValidationErrorBody = z
  .object({ detail: z.array(ValidationFault), code: Code.extract(['validation_failed']) })
  .meta({ id: 'ValidationError', description: 'The request is invalid' });
export type ValidationErrorBody = z.output<typeof ValidationErrorBody>;
