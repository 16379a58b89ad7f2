import fc from 'fast-check';

/** As much of JSON Schema as an OpenAPI description here uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Finds the schema that a reference names. */
export type Resolve = (ref: string) => JsonSchema;

const SPARE_CHARS = 40;
/** Deeper than any body nests; a schema that contains itself ends here. */
const MAX_DEPTH = 8;

/** Values that a schema accepts; checks that the schema does not describe may still fail. */
export function valuesOf(schema: JsonSchema, resolve: Resolve, depth = 0): fc.Arbitrary<unknown> {
  if (depth > MAX_DEPTH) return fc.constant(null);
  const inner = (part: JsonSchema) => valuesOf(part, resolve, depth + 1);
  if (schema.$ref !== undefined) return inner(resolve(schema.$ref));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(inner));
  if (schema.allOf) return fc.tuple(...schema.allOf.map(inner)).map((parts) => Object.assign({}, ...parts));
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return fc.jsonValue({ maxDepth: 1 });
  return fc.oneof(...types.map((type) => valuesOfType(type, schema, inner)));
}

function valuesOfType(
  type: string,
  schema: JsonSchema,
  inner: (part: JsonSchema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return texts(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 100_000 });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(inner(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 3 });
    case 'object':
      return objects(schema, inner);
    default:
      return fc.constant(null);
  }
}

function objects(
  { properties, required = [], additionalProperties }: JsonSchema,
  inner: (part: JsonSchema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  if (properties) {
    const fields = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, inner(part)]));
    return fc.record(fields, { requiredKeys: required.filter((name) => name in fields) });
  }
  const values = typeof additionalProperties === 'object' ? inner(additionalProperties) : fc.jsonValue();
  return fc.dictionary(fc.string({ minLength: 1, maxLength: 10 }), values, { maxKeys: 3 });
}

function texts({
  format,
  pattern,
  minLength = 0,
  maxLength = SPARE_CHARS,
}: JsonSchema): fc.Arbitrary<string> {
  const fits = (text: string) => text.length >= minLength && text.length <= maxLength;
  if (format === 'email') return fc.emailAddress();
  if (format === 'uri') return fc.webUrl();
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  const matching = pattern === undefined ? null : matches(pattern);
  if (matching) return matching.filter(fits);
  return fc.string({ minLength, maxLength: Math.min(maxLength, minLength + SPARE_CHARS) });
}

/** Null when the generator does not support the pattern. */
function matches(pattern: string): fc.Arbitrary<string> | null {
  try {
    return fc.stringMatching(new RegExp(pattern));
  } catch {
    return null;
  }
}
