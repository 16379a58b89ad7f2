import fc from 'fast-check';
import { z } from 'zod';

/** As much of an OpenAPI description as requests are made of. */
export interface Description {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components?: { readonly schemas?: Record<string, JsonSchema> };
}

export interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: JsonSchema }> };
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema?: JsonSchema }> }>;
}

type JsonSchema = {
  readonly $ref?: string;
  readonly properties?: Record<string, JsonSchema>;
  readonly enum?: unknown[];
};

export interface FuzzedRequest {
  readonly method: string;
  /** The path as described, and as asked for. */
  readonly path: string;
  readonly url: string;
  readonly body: string | undefined;
}

const REF = '#/components/schemas/';

/** What every field is tried with beside its own values: right for some field, wrong for most. */
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
/** What a field may well be, by its name; of presets there are none, so they are left out. */
const RIGHT: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  platform: fc.constantFrom('sip', 'sip', 'sip', 'discord', 'meet'),
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
  password: fc.constantFrom('secret', 'pässwörd'),
  realm: fc.constantFrom(null, 'realm'),
  caller_id: fc.constantFrom(null, '+33123456789'),
  register: fc.boolean(),
  srtp: fc.constantFrom('off', 'optional', 'required'),
  number: fc.integer({ min: 1_000_000, max: 1_000_020 }).map((n) => `+1${n}`),
  label: fc.constantFrom(null, 'é', '\u0000'),
  auto_answer: fc.boolean(),
};
const segments = fc.oneof(
  fc.constantFrom('%', '%00', '%2F', '%ff', '..', 'call_1', 'é'),
  fc.string({ minLength: 1, maxLength: 20 }).map(encodeURIComponent),
);

/** Stands in a URL for the identifier of something that is there when the request is made. */
export const KNOWN_ID = '{known}';

/** Requests to every operation, right and wrong. */
export function requestsTo(description: Description): fc.Arbitrary<FuzzedRequest> {
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => requestTo(description, path, method, operation)),
  );
  return fc.oneof(...operations);
}

function requestTo(
  description: Description,
  path: string,
  method: string,
  { parameters = [], requestBody }: Operation,
): fc.Arbitrary<FuzzedRequest> {
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  return fc
    .record({
      segment: fc.oneof({ weight: 3, arbitrary: fc.constant(KNOWN_ID) }, segments),
      query: fc.dictionary(fc.constantFrom('x', ...query), fc.oneof(fc.nat().map(String), fc.string())),
      body: requestBody ? bodies(description, requestBody) : fc.constant(undefined),
    })
    .map(({ segment, query, body }) => ({
      method,
      path,
      url: `${path.replace(/\{[^}]+\}/, () => segment)}?${new URLSearchParams(query)}`,
      body,
    }));
}

function bodies(
  description: Description,
  { content }: NonNullable<Operation['requestBody']>,
): fc.Arbitrary<string> {
  const schema = resolved(description, content['application/json']?.schema ?? {});
  const names = Object.keys(schema.properties ?? {});
  const right = Object.fromEntries(names.map((name) => [name, RIGHT[name] ?? values]));
  // A host that is not this machine would be looked up, and called.
  const any = Object.fromEntries(
    names.map((name) => [name, name === 'host' ? fc.constantFrom<unknown>('', 5, 'a b') : values]),
  );
  const mixed = Object.fromEntries(names.map((name) => [name, fc.oneof(right[name]!, any[name]!)]));
  return fc.oneof(
    { weight: 4, arbitrary: fc.record(right).map((body) => JSON.stringify(body)) },
    { weight: 3, arbitrary: fc.record(mixed, { requiredKeys: [] }).map((body) => JSON.stringify(body)) },
    { weight: 1, arbitrary: fc.jsonValue().map((body) => JSON.stringify(body)) },
    { weight: 1, arbitrary: fc.string() },
  );
}

function resolved(description: Description, schema: JsonSchema): JsonSchema {
  return schema.$ref ? (description.components?.schemas?.[schema.$ref.slice(REF.length)] ?? {}) : schema;
}

/** Whether an answer is one that its operation describes; null when it is, otherwise what is wrong. */
export function misfit(
  description: Description,
  { path, method }: FuzzedRequest,
  status: number,
  body: unknown,
): string | null {
  const response = description.paths[path]?.[method]?.responses[status];
  if (!response) return `status ${status} is not described`;
  const schema = response.content?.['application/json']?.schema;
  if (!schema) return null;
  const text = JSON.stringify({ ...schema, $defs: description.components?.schemas });
  const parsed = z.fromJSONSchema(JSON.parse(text.replaceAll(REF, '#/$defs/'))).safeParse(body);
  return parsed.success ? null : z.prettifyError(parsed.error);
}
