/** What the reference reads of an OpenAPI document. */
export interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  /** Of a request that opens a WebSocket: examples of its messages. */
  readonly 'x-messages'?: Readonly<Record<'sends' | 'receives', readonly object[]>>;
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema?: Schema;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}

function nameOf({ $ref = '' }: Schema): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

/** The schema itself in place of a reference to it. */
function resolved({ components }: Document, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (components.schemas[nameOf(schema)] ?? {});
}

/** Schemas may contain themselves. */
const DEEPEST = 5;

/** A schema as types are written, with the descriptions of its fields above them. */
export function textOf(document: Document, schema: Schema, depth = 0): string {
  const { type, properties, required = [], items, ...found } = resolved(document, schema);
  const inner = (each: Schema): string => textOf(document, each, depth + 1);
  const choices = found.anyOf ?? found.oneOf;
  const values = found.const === undefined ? found.enum : [found.const];
  if (depth > DEEPEST) return nameOf(schema) || 'object';
  if (choices) return choices.map((each) => textOf(document, each, depth)).join(' | ');
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (items) return `array of ${textOf(document, items, depth)}`;
  if (typeof found.additionalProperties === 'object')
    return `{ [name]: ${inner(found.additionalProperties)} }`;
  if (!properties) return [type ?? 'any'].flat().join(' | ');
  const indent = '  '.repeat(depth);
  const lines = Object.entries(properties).flatMap(([name, property]) => [
    ...(property.description ? [`${indent}  // ${property.description}`] : []),
    `${indent}  ${name}${required.includes(name) ? '' : '?'}: ${inner(property)}`,
  ]);
  return ['{', ...lines, `${indent}}`].join('\n');
}

const EMPTY: Readonly<Record<string, unknown>> = {
  object: {},
  array: [],
  boolean: false,
  integer: 0,
  number: 0,
};

/** What a request may look like: the fields that it must have. */
export function exampleOf(document: Document, schema: Schema): object {
  const { anyOf, properties = {}, required = [] } = resolved(document, schema);
  if (anyOf?.[0]) return exampleOf(document, anyOf[0]);
  const fields = required.map((name) => {
    const { type, ...field } = resolved(document, properties[name] ?? {});
    return [name, field.default ?? field.const ?? field.enum?.[0] ?? EMPTY[`${type}`] ?? ''];
  });
  return Object.fromEntries(fields);
}
