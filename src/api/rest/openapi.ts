import * as z from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { assert } from '../../base/assert.ts';
import { type ErrorCode, GatewayError } from '../../base/errors.ts';
import { productVersion } from '../../base/product-version.ts';
import { replyBytes } from '../http/answer/reply.ts';
import { KEY_HEADER, takesKey } from '../http/idempotency/idempotency.ts';
import { ADMITTED } from '../http/routing/access.ts';
import {
  type Failure,
  type ResponseSpec,
  type Route,
  resource,
  storesSettings,
} from '../http/routing/route.ts';
import { ErrorBody, ValidationErrorBody } from '../schema/error-body.ts';
import { SOCKET_PATHS, SOCKET_SCHEMAS } from '../schema/socket-documents.ts';
import type { PublicUrl } from './call-wire.ts';

const open = resource('public', 'System');

/**
 * `GET /openapi.json`: the description of `routes()`, which may include this route. Generated at the first request and
 * cached.
 */
export function openApiRoute(routes: () => readonly Route[], publicUrl: PublicUrl): Route {
  // Cached as bytes, so that requests do not encode about 250 KB each time.
  let bytes: Buffer | null = null;
  return open.get('/openapi.json', {
    operationId: 'getOpenApi',
    summary: 'Get this document',
    responses: { 200: { description: 'An OpenAPI 3.1.0 document', contentType: 'application/json' } },
    handler: () => {
      bytes ??= Buffer.from(JSON.stringify(openApiDocument(routes(), publicUrl())));
      return replyBytes(200, 'application/json', bytes);
    },
  });
}

/** `GET /schemas/{name}.json`: JSON Schemas of the messages of the WebSockets. Each is made once: strangers may ask. */
export function schemaRoute(): Route {
  const made = new Map<string, Buffer>();
  return open.get('/schemas/{name}', {
    operationId: 'getSchema',
    summary: 'Get the JSON Schema of messages of a WebSocket',
    description: `The names are ${Object.keys(SOCKET_SCHEMAS)
      .map((name) => `\`${name}.json\``)
      .join(', ')}.`,
    params: z.object({ name: z.string().max(100) }),
    responses: { 200: { description: 'A JSON Schema', contentType: 'application/schema+json' } },
    fails: ['not_found'],
    handler: ({ params: { name } }) => {
      const key = name.replace(/\.json$/, '');
      const schema = Object.hasOwn(SOCKET_SCHEMAS, key) ? SOCKET_SCHEMAS[key] : undefined;
      if (!schema || key === name) throw new GatewayError('not_found');
      const bytes = made.get(key) ?? Buffer.from(JSON.stringify(z.toJSONSchema(schema)));
      made.set(key, bytes);
      return replyBytes(200, 'application/schema+json', bytes);
    },
  });
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'multipart/form-data';
const ANY_TYPE = '*/*';

const DESCRIPTION = `Connects AI agents to phone calls, meetings and chats.

Errors are \`{"detail": "<text>", "code": "<code>"}\`. The \`detail\` is for people, the \`code\` for programs. An invalid request answers 422, and its \`detail\` lists one entry per error. \`too_many_attempts\`, \`too_many_requests\` and \`overloaded\` come with a \`Retry-After\` in seconds.
In requests, null means that a field is absent, unless the field's description gives it a meaning.
Endpoints for settings and for the signed-in person refuse unknown fields. All others ignore them and name them in \`X-Ignored-Fields\`.
Every answer has an \`X-Request-Id\`: the one from the request, or a new one.`;

const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key, `svc_…`' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same API key as a bearer token' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'svc_session',
    description:
      'The session of a signed-in browser. Requests that change something must come from a page of the gateway',
  },
} as const;

const WHO: Readonly<Record<Route['access'], string>> = {
  public: 'Requires no key.',
  runtime: 'Requires an agent key, an MCP access token or a session.',
  mcp: 'Requires an agent key or an MCP access token.',
  config: 'Requires a settings key or a session.',
  account: 'Requires any key, an MCP access token or a session.',
  session: 'Requires a session.',
};

const KEY_HEADERS = z.object({
  [KEY_HEADER]: z.string().optional().meta({
    description:
      'Makes the request take effect only once. Within 24 hours, the same request with the same key gets the same answer with `Idempotent-Replayed: true`; a different request with that key gets 422. Answers that mean that nothing was done (4xx, 503) are not stored',
    maxLength: 255,
  }),
});

/** Generates the OpenAPI document from the route objects that are also used for dispatch and validation. */
function openApiDocument(routes: readonly Route[], publicUrl: string) {
  return createDocument({
    openapi: '3.1.0',
    info: { title: 'Voice and Chat Gateway', version: productVersion(), description: DESCRIPTION },
    servers: [{ url: publicUrl }],
    paths: { ...pathsOf(routes), ...SOCKET_PATHS },
    components: { securitySchemes: SECURITY_SCHEMES },
  });
}

function pathsOf(routes: readonly Route[]): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  const operationIds = new Set<string>();
  for (const route of routes) {
    assert(!operationIds.has(route.operationId), `operationId ${route.operationId} is taken`);
    operationIds.add(route.operationId);
    paths[route.path] ??= {};
    paths[route.path]![route.method] = operationOf(route);
    if (route.method === 'get' && servesRanges(route)) paths[route.path]!.head = headOf(route);
  }
  return paths;
}

/** Every GET answers HEAD. Clients use it for files. */
function servesRanges({ headers = [] }: Route): boolean {
  return headers.includes('range');
}

function headOf(route: Route): ZodOpenApiOperationObject {
  const { responses, ...operation } = operationOf(route);
  const bare = Object.entries(responses).map(([status, { description }]) => [status, { description }]);
  return {
    ...operation,
    operationId: `${route.operationId}Head`,
    summary: `${route.summary}: only the headers`,
    responses: Object.fromEntries(bare) as ZodOpenApiResponsesObject,
  };
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: [route.description, route.ownKey ?? WHO[route.access]].filter(Boolean).join('\n\n'),
    tags: [...route.tags],
    ...(route.deprecated ? { deprecated: true } : {}),
    security: route.ownKey === undefined ? securityOf(route.access) : BY_KEY,
    requestParams: {
      ...(route.params ? { path: route.params } : {}),
      ...(route.query ? { query: route.query } : {}),
      ...(takesKey(route) ? { header: KEY_HEADERS } : {}),
    },
    ...(route.body || route.streamedBody || route.form ? { requestBody: requestBodyOf(route) } : {}),
    responses: responsesOf(route),
  };
}

const BY_KEY = [{ apiKey: [] }, { bearer: [] }];

function securityOf(access: Route['access']): Record<string, string[]>[] {
  if (access === 'public') return [];
  const kinds = ADMITTED[access];
  const byKey = kinds.some((kind) => kind !== 'session') ? BY_KEY : [];
  return kinds.includes('session') ? [...byKey, { session: [] }] : byKey;
}

function requestBodyOf({ body: readBody, streamedBody, form }: Route) {
  const body = readBody ?? streamedBody;
  const isOptional = body !== undefined && body !== 'raw' && body.safeParse(undefined).success;
  const content = {
    ...(body === undefined ? {} : body === 'raw' ? { [ANY_TYPE]: {} } : { [JSON_TYPE]: { schema: body } }),
    ...(form === undefined ? {} : { [FORM_TYPE]: { schema: form } }),
  };
  return { required: !isOptional, content };
}

/** The route's own answers and those that the server adds. */
function responsesOf(route: Route): ZodOpenApiResponsesObject {
  const specs = {
    ...failuresOf([...serverFailures(route), ...(route.fails ?? [])]),
    ...(isValidated(route) ? { 422: INVALID } : {}),
    ...route.responses,
  };
  const described = Object.entries(specs).map(([status, spec]) => [status, responseOf(spec)]);
  return Object.fromEntries(described) as ZodOpenApiResponsesObject;
}

/** What some errors mean, where their own text is for the one who gets them. */
const MEANINGS: Readonly<Partial<Record<ErrorCode, string>>> = {
  forbidden: 'The credential is of the wrong kind',
  cross_site: 'The request comes from another site',
  not_ready: 'The gateway is shutting down',
  platform_not_connected: "The platform's own connection is down",
  too_many_attempts: 'Too many attempts; retry after the number of seconds in `Retry-After`',
  overloaded: 'The gateway is full; retry after the number of seconds in `Retry-After`',
  file_gone: 'The file is no longer available',
  send_failed: 'The platform refused the message, or it is unknown whether it arrived',
};

/** The errors by their status: what those that share one mean, each with its code. */
function failuresOf(failures: readonly Failure[]): Record<number, ResponseSpec> {
  const meanings: Readonly<Partial<Record<ErrorCode, string>>> = Object.assign(
    {},
    ...failures.map((failure) => (typeof failure === 'string' ? { [failure]: MEANINGS[failure] } : failure)),
  );
  const texts: Record<number, string> = {};
  for (const [code, meaning] of Object.entries(meanings) as [ErrorCode, string | undefined][]) {
    const { status, message } = new GatewayError(code, meaning);
    const text = `${message} (\`${code}\`)`;
    texts[status] = texts[status] === undefined ? text : `${texts[status]}; ${text}`;
  }
  return texts;
}

/** The errors that the server answers before the handler, or in its place. */
function serverFailures(route: Route): ErrorCode[] {
  const { access, method, body, form } = route;
  const isOpen = access === 'public' || access === 'account';
  return [
    ...(access === 'public' ? [] : (['unauthorized', 'too_many_requests'] as const)),
    ...(isOpen && method === 'get' ? [] : (['forbidden', 'cross_site'] as const)),
    ...(storesSettings(route) ? (['storage_full', 'too_many_attempts'] as const) : []),
    ...(body || form ? (['body_too_slow', 'body_too_large'] as const) : []),
    ...(takesKey(route) ? (['request_running', 'request_interrupted', 'too_many_keys'] as const) : []),
    'internal_error',
  ];
}

const INVALID = { description: 'The request is invalid', schema: ValidationErrorBody };

function isValidated(route: Route): boolean {
  const { query, body, form } = route;
  return Boolean(query || form || (body && body !== 'raw') || takesKey(route));
}

function responseOf(spec: ResponseSpec): ZodOpenApiResponseObject {
  if (typeof spec === 'string') {
    return { description: spec, content: { [JSON_TYPE]: { schema: ErrorBody } } };
  }
  const content = {
    ...(spec.schema ? { [JSON_TYPE]: { schema: spec.schema } } : {}),
    ...(spec.contentType ? { [spec.contentType]: {} } : {}),
  };
  return { description: spec.description, ...(spec.schema || spec.contentType ? { content } : {}) };
}
