import type { z } from 'zod';
import { unreachable } from '../../../base/assert.ts';
import type { ValidationFault } from '../../schema/error-body.ts';

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

/** The part of a request or tool call that contains a fault; the first element of its `loc`. */
export type RequestPart = 'body' | 'query' | 'path' | 'arguments';

type Issue = z.core.$ZodIssue;

/** Code and message of a fault, in FastAPI's format. */
interface Wording {
  readonly type: string;
  readonly msg: string;
}

const WRONG_TYPE: Readonly<Record<string, Wording>> = {
  string: { type: 'string_type', msg: 'Input should be a valid string' },
  number: { type: 'float_type', msg: 'Input should be a valid number' },
  int: { type: 'int_type', msg: 'Input should be a valid integer' },
  boolean: { type: 'bool_type', msg: 'Input should be a valid boolean' },
  array: { type: 'list_type', msg: 'Input should be a valid list' },
  object: { type: 'model_attributes_type', msg: 'Input should be a valid object' },
  record: { type: 'dict_type', msg: 'Input should be a valid object' },
};

const UNREADABLE_INTEGER: Wording = {
  type: 'int_parsing',
  msg: 'Input should be a valid integer, unable to parse string as an integer',
};

/** Queries and paths arrive as text, so a number that fails (always an integer there) could not be parsed. */
const UNREADABLE: Readonly<Record<string, Wording>> = {
  number: UNREADABLE_INTEGER,
  int: UNREADABLE_INTEGER,
  boolean: { type: 'bool_parsing', msg: 'Input should be a valid boolean, unable to interpret input' },
};

const WRONG_FORMAT: Readonly<Record<string, Wording>> = {
  uuid: { type: 'uuid_parsing', msg: 'Input should be a valid UUID' },
  guid: { type: 'uuid_parsing', msg: 'Input should be a valid UUID' },
  datetime: { type: 'datetime_parsing', msg: 'Input should be a valid ISO 8601 date and time' },
  url: { type: 'url_parsing', msg: 'Input should be a valid URL' },
  json_string: { type: 'json_invalid', msg: 'Input should be valid JSON' },
};

/** Converts one issue of the schema library to faults. Only an unknown-keys issue can produce several. */
export function faultOf(issue: Issue, part: RequestPart, input: unknown): ValidationFault[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code === 'unrecognized_keys') {
    const wording: Wording = { type: 'extra_forbidden', msg: 'Extra inputs are not permitted' };
    return issue.keys.slice(0, MAX_FAULTS).map((key) => ({ loc: [part, ...path, key], ...wording }));
  }
  const missing = issue.code !== 'custom' && valueAt(input, issue.path) === undefined;
  const wording = missing ? { type: 'missing', msg: 'Field required' } : wordingOf(issue, part);
  return [{ loc: [part, ...path], ...wording }];
}

function wordingOf(issue: Issue, part: RequestPart): Wording {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue.expected, part);
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return tooBig(issue);
    case 'invalid_format':
      return wrongFormat(issue);
    case 'not_multiple_of':
      return { type: 'multiple_of', msg: `Input should be a multiple of ${issue.divisor}` };
    case 'invalid_value':
      return wrongValue(issue.values);
    case 'invalid_union':
      return issue.discriminator === undefined
        ? { type: 'union_error', msg: 'Input matches none of the accepted types' }
        : { type: 'union_tag_invalid', msg: 'Input has an unknown type' };
    case 'invalid_key':
    case 'invalid_element':
    case 'unrecognized_keys':
    case 'custom':
      return { type: 'value_error', msg: issue.message };
    default:
      return unreachable(issue);
  }
}

function wrongType(expected: string, part: RequestPart): Wording {
  const unreadable = part === 'query' || part === 'path' ? UNREADABLE[expected] : undefined;
  return (
    unreadable ?? WRONG_TYPE[expected] ?? { type: 'value_error', msg: `Input should be of type ${expected}` }
  );
}

function tooSmall(issue: z.core.$ZodIssueTooSmall): Wording {
  const least = String(issue.minimum);
  if (issue.origin === 'string') {
    return { type: 'string_too_short', msg: `String should have at least ${least} characters` };
  }
  if (issue.origin === 'array' || issue.origin === 'set') {
    return { type: 'too_short', msg: `List should have at least ${least} items` };
  }
  return issue.inclusive === false
    ? { type: 'greater_than', msg: `Input should be greater than ${least}` }
    : { type: 'greater_than_equal', msg: `Input should be greater than or equal to ${least}` };
}

function tooBig(issue: z.core.$ZodIssueTooBig): Wording {
  const most = String(issue.maximum);
  if (issue.origin === 'string') {
    return { type: 'string_too_long', msg: `String should have at most ${most} characters` };
  }
  if (issue.origin === 'array' || issue.origin === 'set') {
    return { type: 'too_long', msg: `List should have at most ${most} items` };
  }
  return issue.inclusive === false
    ? { type: 'less_than', msg: `Input should be less than ${most}` }
    : { type: 'less_than_equal', msg: `Input should be less than or equal to ${most}` };
}

function wrongFormat(issue: z.core.$ZodIssueInvalidStringFormat): Wording {
  if (issue.format === 'regex') {
    return { type: 'string_pattern_mismatch', msg: `String should match pattern ${issue.pattern ?? ''}` };
  }
  return WRONG_FORMAT[issue.format] ?? { type: 'value_error', msg: issue.message };
}

function wrongValue(values: readonly unknown[]): Wording {
  const listed = values.map((value) => JSON.stringify(value)).join(', ');
  return { type: values.length > 1 ? 'enum' : 'literal_error', msg: `Input should be one of ${listed}` };
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return null;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}
