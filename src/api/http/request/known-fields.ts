import * as z from 'zod';
import { isRecord } from '../../../base/json.ts';

/** The fields that a schema knows, at every depth. Null: it has none. */
export type KnownFields = ObjectFields | ListFields | ChoiceFields | null;

interface ObjectFields {
  readonly kind: 'object';
  readonly names: ReadonlyMap<string, KnownFields>;
  /** What the schema does with all others: it ignores them, refuses them itself, or takes them. */
  readonly others: 'ignored' | 'refused' | 'taken';
  /** The fields within those others. */
  readonly inOthers: KnownFields;
}

interface ListFields {
  readonly kind: 'list';
  readonly items: KnownFields;
}

/** The first choice that accepts a value tells its fields. */
interface ChoiceFields {
  readonly kind: 'choice';
  readonly choices: readonly { readonly schema: z.ZodType; readonly fields: KnownFields }[];
}

/** Where a field is, from the outermost object. */
export type FieldPath = readonly (string | number)[];

/** A field that a schema ignores, and the fields that it knows in the same place. */
export interface UnknownField {
  readonly path: FieldPath;
  readonly known: readonly string[];
}

/** Returns the fields of a schema. Walks the whole schema, so keep the result. */
export function knownFields(schema: z.core.$ZodType): KnownFields {
  if (schema instanceof z.ZodObject) return objectFields(schema);
  if (schema instanceof z.ZodRecord) return recordFields(schema);
  if (schema instanceof z.ZodArray) {
    const items = knownFields(schema.element);
    return items && { kind: 'list', items };
  }
  if (schema instanceof z.ZodUnion) {
    const choices = schema.options.map((choice) => ({
      schema: choice as z.ZodType,
      fields: knownFields(choice),
    }));
    return choices.some(({ fields }) => fields !== null) ? { kind: 'choice', choices } : null;
  }
  if (schema instanceof z.ZodPipe) return knownFields(schema.in) ?? knownFields(schema.out);
  return isWrapper(schema) ? knownFields(schema.unwrap()) : null;
}

function isWrapper(schema: z.core.$ZodType): schema is z.ZodOptional | z.ZodNullable | z.ZodDefault {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
}

function objectFields({ shape, def: { catchall } }: z.ZodObject): ObjectFields {
  const names = new Map(Object.entries(shape).map(([name, field]) => [name, knownFields(field)]));
  if (catchall === undefined) return { kind: 'object', names, others: 'ignored', inOthers: null };
  if (catchall instanceof z.ZodNever) return { kind: 'object', names, others: 'refused', inOthers: null };
  return { kind: 'object', names, others: 'taken', inOthers: knownFields(catchall) };
}

function recordFields({ keyType, valueType }: z.ZodRecord): ObjectFields {
  const inOthers = knownFields(valueType);
  if (!(keyType instanceof z.ZodEnum)) return { kind: 'object', names: new Map(), others: 'taken', inOthers };
  const names = new Map(keyType.options.map((name) => [String(name), inOthers]));
  return { kind: 'object', names, others: 'refused', inOthers: null };
}

/** The fields of several objects in one. */
export function mergedFields(objects: readonly KnownFields[]): KnownFields {
  const names = objects.flatMap((fields) => (fields?.kind === 'object' ? [...fields.names] : []));
  return { kind: 'object', names: new Map(names), others: 'ignored', inOthers: null };
}

/** Finds the first fields of a value that its schema ignores, at most so many. */
export function unknownFields(fields: KnownFields, value: unknown, most: number): UnknownField[] {
  const found: UnknownField[] = [];
  for (const field of ignoredIn(fields, value, [])) if (found.push(field) === most) break;
  return found;
}

function* ignoredIn(fields: KnownFields, value: unknown, path: FieldPath): Generator<UnknownField> {
  if (fields?.kind === 'choice') {
    yield* ignoredIn(choiceFor(fields, value), value, path);
  } else if (fields?.kind === 'list' && Array.isArray(value)) {
    for (const [at, item] of value.entries()) yield* ignoredIn(fields.items, item, [...path, at]);
  } else if (fields?.kind === 'object' && isRecord(value)) {
    const { names, others, inOthers } = fields;
    for (const [name, inner] of Object.entries(value)) {
      if (others === 'ignored' && !names.has(name)) yield { path: [...path, name], known: [...names.keys()] };
      else yield* ignoredIn(names.get(name) ?? inOthers, inner, [...path, name]);
    }
  }
}

function choiceFor({ choices }: ChoiceFields, value: unknown): KnownFields {
  return choices.find(({ schema }) => schema.safeParse(value).success)?.fields ?? null;
}

/** The names that a schema knows at a path of a value; none where it has no fields. */
export function namesAt(fields: KnownFields, path: readonly PropertyKey[]): readonly string[] {
  if (fields === null) return [];
  if (fields.kind === 'choice') return fields.choices.flatMap((choice) => namesAt(choice.fields, path));
  const [step, ...deeper] = path;
  if (fields.kind === 'list') return step === undefined ? [] : namesAt(fields.items, deeper);
  return step === undefined
    ? [...fields.names.keys()]
    : namesAt(fields.names.get(String(step)) ?? fields.inOthers, deeper);
}
