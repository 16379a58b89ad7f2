import type * as z from 'zod';
import { cutText } from '../../../base/cut-text.ts';
import type { ValidationFault } from '../../schema/error-body.ts';
import type { ReplyHeaders } from '../answer/reply.ts';
import { closestName } from './closest-name.ts';
import { type Issue, type RequestPart, wordingOf } from './fault-wording.ts';
import { type FieldPath, knownFields, namesAt, type UnknownField } from './known-fields.ts';

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

/** What a schema makes of an input. `given`: the input without the nulls that mean nothing. */
export type Parsed =
  | { readonly faults: null; readonly value: unknown; readonly given: unknown }
  | { readonly faults: readonly ValidationFault[]; readonly given: unknown };

/**
 * Parses one part of a request. A null that the schema does not take means that the field is absent: clients in many
 * languages send one for every optional field that is not set.
 */
export function parse(schema: z.ZodType, part: RequestPart, input: unknown): Parsed {
  const first = schema.safeParse(input);
  if (first.success) return { faults: null, value: first.data, given: input };
  const nulls = nullsIn(first.error.issues, input);
  if (nulls.length === 0) return { faults: faultsOf(first.error, schema, part, input), given: input };
  const given = without(nulls, input);
  const second = schema.safeParse(given);
  if (second.success) return { faults: null, value: second.data, given };
  return { faults: faultsOf(second.error, schema, part, given), given };
}

/** Parses one part of a request. Throws a ValidationError that lists all its faults. */
export function validate(schema: z.ZodType, part: RequestPart, input: unknown): unknown {
  const parsed = parse(schema, part, input);
  if (parsed.faults !== null) throw new ValidationError(parsed.faults);
  return parsed.value;
}

function faultsOf({ issues }: z.ZodError, schema: z.ZodType, part: RequestPart, input: unknown) {
  return issues.flatMap((issue) => faultOf(issue, schema, part, input));
}

/** Converts one issue of the schema library to faults. Only an unknown-keys issue can produce several. */
function faultOf(issue: Issue, schema: z.ZodType, part: RequestPart, input: unknown): ValidationFault[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code === 'unrecognized_keys') {
    const known = namesAt(knownFields(schema), path);
    return issue.keys
      .slice(0, MAX_UNKNOWN)
      .map((key) => unknownFieldFault(part, { path: [...path, key], known }));
  }
  const value = valueAt(input, issue.path);
  const missing = issue.code !== 'custom' && value === undefined;
  const wording = missing ? { type: 'missing', msg: 'Field required' } : wordingOf(issue, part, value);
  return [{ loc: [part, ...path], ...wording }];
}

/** The value at a path; null where the path leaves the value. */
function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return null;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

type Path = readonly PropertyKey[];

/**
 * Where an input has a null that its schema does not take. Not those in lists, whose items have a place, and not those
 * that a rule of several fields complains about.
 */
function nullsIn(issues: readonly Issue[], input: unknown, at: Path = []): Path[] {
  return issues.flatMap((issue) => {
    const path = [...at, ...issue.path];
    if (issue.code === 'custom') return [];
    if (isNullField(input, path)) return [path];
    return issue.code === 'invalid_union'
      ? issue.errors.flatMap((choice) => nullsIn(choice, input, path))
      : [];
  });
}

function isNullField(input: unknown, path: Path): boolean {
  let [value, parent] = [input, {} as unknown];
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return false;
    [value, parent] = [(value as Record<PropertyKey, unknown>)[step], value];
  }
  return value === null && !Array.isArray(parent);
}

/** A copy of the input without the fields at some paths. The empty path stands for the input itself. */
function without(paths: readonly Path[], input: unknown): unknown {
  if (input === null) return undefined;
  const copy: unknown = structuredClone(input);
  for (const path of paths) {
    let holder = copy as Record<PropertyKey, unknown>;
    for (const step of path.slice(0, -1)) holder = holder[step] as Record<PropertyKey, unknown>;
    delete holder[path.at(-1)!];
  }
  return copy;
}

/** Most unknown fields that an answer names: each is compared with the known ones, and sent. */
export const MAX_UNKNOWN = 20;
/** More known names would hide the message. */
const MAX_KNOWN = 12;
/** Most UTF-16 units of a client's own name that are sent back. */
const MAX_NAME = 64;

/** The fault of a field that an endpoint does not take. `part`: the first element of its `loc`. */
export function unknownFieldFault(part: RequestPart, { path, known }: UnknownField): ValidationFault {
  const loc = [part, ...path.map((step) => (typeof step === 'string' ? shown(step) : step))];
  const noun = part === 'arguments' ? 'argument' : 'field';
  const msg = `Unknown ${noun} ${quoted(String(loc.at(-1)))}; ${adviceFor(String(path.at(-1)), known, noun)}`;
  return { loc, type: 'extra_forbidden', msg };
}

/** What was probably meant, or else what there is. */
function adviceFor(name: string, known: readonly string[], noun: string): string {
  const meant = closestName(name, known);
  if (meant !== null) return `did you mean ${quoted(meant)}?`;
  if (known.length === 0) return `no ${noun}s are taken here`;
  const listed = known.slice(0, MAX_KNOWN).map(quoted).join(', ');
  return `the ${noun}s are ${listed}${known.length > MAX_KNOWN ? ' and others' : ''}`;
}

function quoted(name: string): string {
  return JSON.stringify(name);
}

const HEADER = 'X-Ignored-Fields';
const MAX_HEADER = 1_000;
/** Last in a list that is not complete. */
const AND_MORE = '...';

/**
 * The header that names the fields that were ignored; empty without any. Names are percent-encoded where they are not
 * letters, digits or `-_~!*'()` of ASCII, and joined as in `attachments[0].colour`.
 */
export function ignoredFieldsHeader(fields: readonly FieldPath[]): ReplyHeaders {
  const names: string[] = [];
  let length = 0;
  for (const field of fields) {
    const name = pathText(field);
    length += name.length + 2;
    if (names.length === MAX_UNKNOWN || length > MAX_HEADER) {
      names.push(AND_MORE);
      break;
    }
    names.push(name);
  }
  return names.length === 0 ? {} : { [HEADER]: names.join(', ') };
}

function pathText(path: FieldPath): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${encoded(step)}`))
    .join('');
}

function encoded(name: string): string {
  return encodeURIComponent(shown(name).toWellFormed()).replaceAll('.', '%2E');
}

function shown(name: string): string {
  return name.length > MAX_NAME ? `${cutText(name, MAX_NAME)}…` : name;
}
