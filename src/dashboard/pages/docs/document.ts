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

export interface Parameter {
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

/** The schema itself in place of a reference to it. */
export function resolved({ components }: Document, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (components.schemas[nameOf(schema)] ?? {});
}

function nameOf({ $ref = '' }: Schema): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

/** Schemas may contain themselves. */
const DEEPEST = 5;

/** A schema as types are written, with the descriptions of its fields above them. */
export function textOf(document: Document, schema: Schema, depth = 0): string {
  const {
    type,
    properties,
    required = [],
    items,
    additionalProperties,
    ...found
  } = resolved(document, schema);
  const inner = (each: Schema): string => textOf(document, each, depth + 1);
  const choices = found.anyOf ?? found.oneOf;
  const values = found.const === undefined ? found.enum : [found.const];
  if (depth > DEEPEST) return nameOf(schema) || 'object';
  if (choices) return choices.map((each) => textOf(document, each, depth)).join(' | ');
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (items) return `array of ${textOf(document, items, depth)}`;
  if (typeof additionalProperties === 'object') return `{ [name]: ${inner(additionalProperties)} }`;
  if (!properties) return typeof type === 'string' ? type : (type?.join(' | ') ?? 'any');
  const indent = '  '.repeat(depth);
  const lines = Object.entries(properties).flatMap(([name, property]) => [
    ...(property.description ? [`${indent}  // ${property.description}`] : []),
    `${indent}  ${name}${required.includes(name) ? '' : '?'}: ${inner(property)}`,
  ]);
  return ['{', ...lines, `${indent}}`].join('\n');
}

/** What a request may look like: the fields that it must have. */
export function exampleOf(document: Document, schema: Schema, depth = 0): unknown {
  const { type, properties = {}, required = [], ...rest } = resolved(document, schema);
  const [first] = rest.anyOf ?? rest.oneOf ?? [];
  if (first !== undefined) return exampleOf(document, first, depth);
  const known = rest.default ?? rest.const ?? rest.enum?.[0];
  if (known !== undefined) return known;
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return 0;
  if (type !== 'object') return '';
  if (depth > 3) return {};
  return Object.fromEntries(
    required.map((name) => [name, exampleOf(document, properties[name] ?? {}, depth + 1)]),
  );
}
