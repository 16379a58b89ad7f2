import type * as z from 'zod';
import { match } from '../../../base/match.ts';
import { closestName } from './closest-name.ts';

/** The part of a request or tool call that contains a fault; the first element of its `loc`. */
export type RequestPart = 'body' | 'query' | 'path' | 'arguments';

export type Issue = z.core.$ZodIssue;

/** Code and message of a fault, in FastAPI's format. */
export interface Wording {
  readonly type: string;
  readonly msg: string;
}

const WRONG_TYPE: Readonly<Record<string, Wording>> = {
  string: { type: 'string_type', msg: 'Input should be a valid string' },
  number: { type: 'float_type', msg: 'Input should be a valid number' },
  int: { type: 'int_type', msg: 'Input should be a valid integer' },
  boolean: { type: 'bool_type', msg: 'Input should be true or false' },
  array: { type: 'list_type', msg: 'Input should be a valid list' },
  object: { type: 'model_attributes_type', msg: 'Input should be a valid object' },
  record: { type: 'dict_type', msg: 'Input should be a valid object' },
};

const UNREADABLE_INTEGER: Wording = {
  type: 'int_parsing',
  msg: 'Input should be a whole number in digits, such as 10',
};

/** Queries and paths arrive as text, so a number that fails (always an integer there) could not be parsed. */
const UNREADABLE: Readonly<Record<string, Wording>> = {
  number: UNREADABLE_INTEGER,
  int: UNREADABLE_INTEGER,
  boolean: { type: 'bool_parsing', msg: 'Input should be true or false' },
};

const WRONG_FORMAT: Readonly<Record<string, Wording>> = {
  uuid: {
    type: 'uuid_parsing',
    msg: 'Input should be a valid UUID, such as 7f1d9a52-5b6c-4c1e-9d0a-2f6f3f0c8a11',
  },
  datetime: {
    type: 'datetime_parsing',
    msg: 'Input should be a valid ISO 8601 date and time, such as 2026-01-31T12:00:00Z',
  },
  url: { type: 'url_parsing', msg: 'Input should be a valid URL, such as https://example.com/path' },
  email: { type: 'value_error', msg: 'Input should be an email address, such as ada@example.com' },
  base64: { type: 'value_error', msg: 'Input should be base64 with padding, such as SGk=' },
};

/** Says what is wrong with `value`. No text of the schema library reaches a client, and no regular expression. */
export function wordingOf(issue: Issue, part: RequestPart, value: unknown): Wording {
  return match(issue, 'code', {
    invalid_type: (issue) => wrongType(issue.expected, part, value),
    too_small: (issue) => tooSmall(issue),
    too_big: (issue) => tooBig(issue),
    invalid_format: (issue) => wrongFormat(issue),
    not_multiple_of: (issue) => ({
      type: 'multiple_of',
      msg: `Input should be a multiple of ${issue.divisor}`,
    }),
    invalid_value: (issue) => wrongValue(issue.values, value),
    invalid_union: (issue) => (issue.discriminator === undefined ? noneOf(issue) : unknownTag(issue, value)),
    invalid_key: (issue) => ({ type: 'value_error', msg: issue.message }),
    invalid_element: (issue) => ({ type: 'value_error', msg: issue.message }),
    unrecognized_keys: (issue) => ({ type: 'value_error', msg: issue.message }),
    custom: (issue) => ({ type: 'value_error', msg: issue.message }),
  });
}

function wrongType(expected: string, part: RequestPart, value: unknown): Wording {
  const unreadable = part === 'query' || part === 'path' ? UNREADABLE[expected] : undefined;
  if (unreadable !== undefined) return unreadable;
  const { type, msg } = WRONG_TYPE[expected] ?? {
    type: 'value_error',
    msg: `Input should be of type ${expected}`,
  };
  // A fraction is a number as well, and no integer.
  return {
    type,
    msg: expected === 'int' && typeof value === 'number' ? msg : `${msg}, not ${nameOf(value)}`,
  };
}

/** What a JSON value is called, with its article. */
function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function tooSmall(issue: z.core.$ZodIssueTooSmall): Wording {
  const least = String(issue.minimum);
  if (issue.origin === 'string') {
    return {
      type: 'string_too_short',
      msg: `String should have at least ${counted(issue.minimum, 'character')}`,
    };
  }
  if (issue.origin === 'array' || issue.origin === 'set') {
    return { type: 'too_short', msg: `List should have at least ${counted(issue.minimum, 'item')}` };
  }
  return issue.inclusive === false
    ? { type: 'greater_than', msg: `Input should be greater than ${least}` }
    : { type: 'greater_than_equal', msg: `Input should be greater than or equal to ${least}` };
}

function tooBig(issue: z.core.$ZodIssueTooBig): Wording {
  const most = String(issue.maximum);
  if (issue.origin === 'string') {
    return {
      type: 'string_too_long',
      msg: `String should have at most ${counted(issue.maximum, 'character')}`,
    };
  }
  if (issue.origin === 'array' || issue.origin === 'set') {
    return { type: 'too_long', msg: `List should have at most ${counted(issue.maximum, 'item')}` };
  }
  return issue.inclusive === false
    ? { type: 'less_than', msg: `Input should be less than ${most}` }
    : { type: 'less_than_equal', msg: `Input should be less than or equal to ${most}` };
}

function counted(count: number | bigint, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A schema with a pattern brings its own message, which says what is expected. */
function wrongFormat(issue: z.core.$ZodIssueInvalidStringFormat): Wording {
  if (issue.format === 'regex') return { type: 'string_pattern_mismatch', msg: issue.message };
  return (
    WRONG_FORMAT[issue.format] ?? { type: 'value_error', msg: `Input should be a valid ${issue.format}` }
  );
}

/** A choice between unlike schemas brings its own message. */
function noneOf({ message }: Issue): Wording {
  const msg = message === 'Invalid input' ? 'Input is of none of the accepted types' : message;
  return { type: 'union_error', msg };
}

function unknownTag(issue: Issue, value: unknown): Wording {
  // Missing from the library's types.
  const { options } = issue as { readonly options?: readonly unknown[] };
  return { type: 'union_tag_invalid', msg: wrongValue(options ?? [], value).msg };
}

function wrongValue(values: readonly unknown[], value: unknown): Wording {
  const listed = values.map((each) => JSON.stringify(each)).join(', ');
  const type = values.length > 1 ? 'enum' : 'literal_error';
  const names = values.filter((each) => typeof each === 'string');
  const meant = typeof value === 'string' ? closestName(value, names) : null;
  const advice = meant === null ? '' : `; did you mean ${JSON.stringify(meant)}?`;
  return { type, msg: `Input should be ${values.length > 1 ? 'one of ' : ''}${listed}${advice}` };
}
