import fc from 'fast-check';
import { z } from 'zod';
import { type JsonSchema, valuesOf } from './json-schema-values.ts';

type Contents = Record<string, { readonly schema?: JsonSchema }>;

/** As much of an OpenAPI description as requests are made of. */
export interface Description {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components?: { readonly schemas?: Record<string, JsonSchema> };
}

export interface Operation {
  readonly description?: string;
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Record<string, { readonly description: string; readonly content?: Contents }>;
}

export interface FuzzedRequest {
  readonly method: string;
  /** The path as described, and as asked for. */
  readonly path: string;
  readonly url: string;
  readonly body: string | undefined;
}

/** What was answered, as far as a description says something about it. */
export interface FuzzedAnswer {
  readonly status: number;
  /** Without parameters; '' without one. */
  readonly contentType: string;
  readonly body: unknown;
}

const REF = '#/components/schemas/';
const JSON_TYPE = 'application/json';

/** Values tried in every field beside its own: valid for some fields, invalid for most. */
const values = fc.oneof(
  fc.constantFrom<unknown>('sip:+33123456789@127.0.0.1', '+33123456789', '127.0.0.1', 'secret', 'A1*#', ''),
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    5060,
    65_536,
    1.5,
    1e300,
    [],
    {},
    '\u0000',
    '\ud800',
    'é\r\n',
  ),
  fc.string({ maxLength: 100 }),
  fc.jsonValue({ maxDepth: 2 }),
);
/** Plausible values of a field, by its name, where the schema says too little. */
const RIGHT: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  platform: fc.constantFrom('sip', 'sip', 'sip', 'discord', 'telegram', 'slack', 'meet'),
  meeting_url: fc.constantFrom('sip:+33123456789@127.0.0.1', 'sip:+33123456789@127.0.0.1', 'tel:1', ''),
  agent_name: fc.string({ minLength: 1, maxLength: 80 }),
  stt_voice_config_id: fc.constant(undefined),
  tts_voice_config_id: fc.constant(undefined),
  text: fc.string({ minLength: 1 }),
  sender_name: fc.string(),
  attachments: fc.constant([]),
  digits: fc.constantFrom('1', 'A*#'),
  host: fc.constant('127.0.0.1'),
  port: fc.integer({ min: 1, max: 65_535 }),
  transport: fc.constantFrom('udp', 'tcp', 'tls'),
  username: fc.constantFrom('1001', "a'b~c"),
  password: fc.constantFrom('secret', 'pässwörd', 'a longer one'),
  realm: fc.constantFrom(null, 'realm'),
  caller_id: fc.constantFrom(null, '+33123456789'),
  register: fc.boolean(),
  srtp: fc.constantFrom('off', 'optional', 'required'),
  number: fc.integer({ min: 1_000_000, max: 1_000_020 }).map((n) => `+1${n}`),
  label: fc.constantFrom(null, 'é', '\u0000'),
  auto_answer: fc.boolean(),
  email: fc.integer({ min: 1, max: 20 }).map((n) => `fuzz${n}@example.com`),
  account_type: fc.constantFrom('sip_number', 'bot_token', 'connection'),
};
/** Without dot segments, which the client would take for another path before it asks. */
const segments = fc
  .oneof(
    fc.constantFrom('%', '%00', '%2F', '%ff', '...', 'call_1', 'é'),
    fc.string({ minLength: 1, maxLength: 20 }).map(encodeURIComponent),
  )
  .filter((segment) => segment !== '.' && segment !== '..');

/** Stands in a URL for something that is there when the request is made: `{agent_id}` for an agent's id. */
export const KNOWN = /\{(\w+)\}/g;

/** Requests to every operation, right and wrong, each operation as often as any other. */
export function requestsTo(description: Description): fc.Arbitrary<FuzzedRequest> {
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      isAsked(method, operation) ? [requestTo(description, path, method, operation)] : [],
    ),
  );
  return fc.oneof(...operations);
}

/** Whether an operation is a request of its own: not one that opens a WebSocket, nor a GET without its body. */
export function isAsked(method: string, { responses }: Pick<Operation, 'responses'>): boolean {
  return method !== 'head' && !Object.hasOwn(responses, '101');
}

function requestTo(
  description: Description,
  path: string,
  method: string,
  { parameters = [], requestBody }: Operation,
): fc.Arbitrary<FuzzedRequest> {
  const inPath = [...path.matchAll(KNOWN)].map(([, name]) => name!);
  return fc
    .record({
      values: fc.tuple(...inPath.map((name) => pathValue(name))),
      query: queryOf(description, parameters),
      body: requestBody ? bodies(description, requestBody) : fc.constant(undefined),
    })
    .map(({ values, query, body }) => {
      const left = [...values];
      return { method, path, url: `${path.replace(KNOWN, () => left.shift()!)}?${query}`, body };
    });
}

function pathValue(name: string): fc.Arbitrary<string> {
  const known = name === 'account_type' ? RIGHT.account_type!.map(String) : fc.constant(`{${name}}`);
  return fc.oneof({ weight: 3, arbitrary: known }, segments);
}

function queryOf(
  description: Description,
  parameters: NonNullable<Operation['parameters']>,
): fc.Arbitrary<URLSearchParams> {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const right = fc.record(
    Object.fromEntries(
      inQuery.map(({ name, schema }) => [name, valuesOf(schema, resolver(description)).map(String)]),
    ),
    { requiredKeys: [] },
  );
  const names = fc.constantFrom('x', ...inQuery.map(({ name }) => name));
  const wrong = fc.dictionary(names, fc.oneof(fc.nat().map(String), fc.string()), { maxKeys: 3 });
  return fc.oneof(right, wrong).map((query) => new URLSearchParams(query as Record<string, string>));
}

function bodies(
  description: Description,
  { content }: NonNullable<Operation['requestBody']>,
): fc.Arbitrary<string> {
  const resolve = resolver(description);
  const schema = resolved(description, content[JSON_TYPE]?.schema ?? {});
  const fields = Object.entries(schema.properties ?? {});
  const right = Object.fromEntries(
    fields.map(([name, part]) => [name, RIGHT[name] ?? valuesOf(part, resolve)]),
  );
  // A host that is not this machine would be looked up, and called.
  const any = Object.fromEntries(
    fields.map(([name]) => [name, name === 'host' ? fc.constantFrom<unknown>('', 5, 'a b') : values]),
  );
  const mixed = Object.fromEntries(fields.map(([name]) => [name, fc.oneof(right[name]!, any[name]!)]));
  const requiredKeys = (schema.required ?? []).filter((name) => name in right);
  const text = (arbitrary: fc.Arbitrary<unknown>) => arbitrary.map((body) => JSON.stringify(body) ?? '');
  const whole = fields.length > 0 ? fc.record(right, { requiredKeys }) : valuesOf(schema, resolve);
  return fc.oneof(
    { weight: 3, arbitrary: text(fields.length > 0 ? fc.record(right) : whole) },
    { weight: 2, arbitrary: text(whole) },
    { weight: 3, arbitrary: text(fc.record(mixed, { requiredKeys: [] })) },
    { weight: 1, arbitrary: text(fc.jsonValue()) },
    { weight: 1, arbitrary: fc.string() },
  );
}

function resolver(description: Description) {
  return (ref: string): JsonSchema => description.components?.schemas?.[ref.slice(REF.length)] ?? {};
}

function resolved(description: Description, schema: JsonSchema): JsonSchema {
  return schema.$ref === undefined ? schema : resolver(description)(schema.$ref);
}

/** Checks whether answers are ones that their operations describe. */
export class Fit {
  readonly #description: Description;
  readonly #parsers = new Map<string, z.ZodType>();

  constructor(description: Description) {
    this.#description = description;
  }

  /** Null when the answer is one that its operation describes, otherwise what is wrong. */
  misfit({ path, method }: FuzzedRequest, { status, contentType, body }: FuzzedAnswer): string | null {
    const response = this.#description.paths[path]?.[method]?.responses[status];
    if (!response) return `status ${status} is not described`;
    const types = Object.keys(response.content ?? {}).map((type) => type.split(';')[0]);
    if (types.length === 0) return contentType === '' ? null : `${contentType} where no body is described`;
    if (!types.includes(contentType)) return `${contentType || 'nothing'} instead of ${types.join(' or ')}`;
    const schema = response.content?.[JSON_TYPE]?.schema;
    if (!schema || contentType !== JSON_TYPE) return null;
    const { code } = body as { readonly code?: string };
    // Answers that may also be pages, and invalid requests, are described in words.
    if (response.description.includes('(`') && !response.description.includes(`(\`${code}\`)`))
      return `${code} is not among the described errors: ${response.description}`;
    const parsed = this.#parser(`${method} ${path} ${status}`, schema).safeParse(body);
    return parsed.success ? null : z.prettifyError(parsed.error);
  }

  #parser(key: string, schema: JsonSchema): z.ZodType {
    const known = this.#parsers.get(key);
    if (known) return known;
    const text = JSON.stringify({ ...schema, $defs: this.#description.components?.schemas });
    const parser = z.fromJSONSchema(JSON.parse(text.replaceAll(REF, '#/$defs/')));
    this.#parsers.set(key, parser);
    return parser;
  }
}
