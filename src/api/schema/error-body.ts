import * as z from 'zod';

/** Body of every error except a failed validation. */
export const ErrorBody = z
  .object({ detail: z.string().describe('What went wrong') })
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
  .object({ detail: z.array(ValidationFault) })
  .meta({ id: 'ValidationError', description: 'The request is invalid' });
export type ValidationErrorBody = z.output<typeof ValidationErrorBody>;
