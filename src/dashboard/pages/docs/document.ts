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

/** A type in a few words, as in `array of Call` or `"udp" | "tcp" | null`. */
export function typeText(schema: Schema): string {
  const { $ref, type, items, enum: values, const: only, additionalProperties: others } = schema;
  const choices = schema.anyOf ?? schema.oneOf;
  if ($ref !== undefined) return nameOf(schema);
  if (choices !== undefined) return choices.map(typeText).join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (items !== undefined) return `array of ${typeText(items)}`;
  if (typeof others === 'object') return `object of ${typeText(others)}`;
  return typeof type === 'string' ? type : (type?.join(' | ') ?? 'any');
}

/** What a request may look like: the fields that it must have. */
export function exampleOf(document: Document, schema: Schema, depth = 0): unknown {
  const {
    type,
    properties = {},
    required = [],
    enum: values,
    const: only,
    ...rest
  } = resolved(document, schema);
  const [first] = rest.anyOf ?? rest.oneOf ?? [];
  if (rest.default !== undefined) return rest.default;
  if (only !== undefined) return only;
  if (values !== undefined) return values[0];
  if (first !== undefined) return exampleOf(document, first, depth);
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return 0;
  if (type !== 'object') return '';
  if (depth > 3) return {};
  return Object.fromEntries(
    required.map((name) => [name, exampleOf(document, properties[name] ?? {}, depth + 1)]),
  );
}
