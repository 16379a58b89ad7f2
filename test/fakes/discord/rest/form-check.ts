import type * as z from 'zod';
import { type FormError, invalidForm } from './discord-error.ts';

/** Returns what a body or query says, or throws Discord's 50035. `unknown` is told of every field that does not exist. */
export function checked<T>(schema: z.ZodType<T>, given: unknown, unknown: (field: string) => void): T {
  const result = schema.safeParse(given, { reportInput: true });
  if (result.success) return result.data;
  const faults = result.error.issues.flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    if (issue.code !== 'unrecognized_keys') return [{ path, error: formError(issue) }];
    return issue.keys.map((key) => {
      unknown([...path, key].join('.'));
      return { path: [...path, key], error: { code: 'UNKNOWN_FIELD', message: 'There is no such field' } };
    });
  });
  throw invalidForm(faults);
}

function formError(issue: z.core.$ZodIssue): FormError {
  switch (issue.code) {
    case 'too_big':
      return issue.origin === 'string'
        ? { code: 'BASE_TYPE_MAX_LENGTH', message: `Must be ${issue.maximum} or fewer in length.` }
        : issue.origin === 'array'
          ? { code: 'BASE_TYPE_MAX_LENGTH', message: `Must be ${issue.maximum} or fewer in length.` }
          : {
              code: 'NUMBER_TYPE_MAX',
              message: `int value should be less than or equal to ${issue.maximum}.`,
            };
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array'
        ? { code: 'BASE_TYPE_MIN_LENGTH', message: `Must be ${issue.minimum} or more in length.` }
        : {
            code: 'NUMBER_TYPE_MIN',
            message: `int value should be greater than or equal to ${issue.minimum}.`,
          };
    case 'invalid_value':
      return {
        code: 'BASE_TYPE_CHOICES',
        message: `Value ${JSON.stringify(issue.input)} must be one of (${issue.values.join(', ')}).`,
      };
    case 'invalid_format':
      return {
        code: 'NUMBER_TYPE_COERCE',
        message: `Value ${JSON.stringify(issue.input)} is not snowflake.`,
      };
    default:
      return issue.input === undefined
        ? { code: 'BASE_TYPE_REQUIRED', message: 'This field is required' }
        : { code: 'BASE_TYPE_BAD_TYPE', message: issue.message };
  }
}
