import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { SipSetup } from '../../../src/accounts/logins/sip-accounts.ts';
import { reply } from '../../../src/api/http/answer/reply.ts';
import { type Access, type Route, route } from '../../../src/api/http/routing/route.ts';
import type { PublicUrl } from '../../../src/api/rest/call-wire.ts';
import { callRoutes } from '../../../src/api/rest/calls.ts';
import { fileRoutes } from '../../../src/api/rest/files.ts';
import { openApiRoute, schemaRoute } from '../../../src/api/rest/openapi.ts';
import { sipRoutes } from '../../../src/api/rest/sip.ts';
import { systemRoutes } from '../../../src/api/rest/system.ts';
import type { CallDomain } from '../../../src/calls/call-domain.ts';
import type { FileDomain } from '../../../src/files/file-domain.ts';
import { served } from './served.ts';

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  deprecated?: boolean;
  security: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; schema: Record<string, unknown> }[];
  requestBody?: { required: boolean };
  responses: Record<
    string,
    { description: string; content?: Record<string, { schema?: { $ref?: string } }> }
  >;
}

interface Document {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> };
}

/** The routes are described without being called, so no calls stand behind them here. */
const NO_CALLS = {} as CallDomain;
const NO_FILES = {} as FileDomain;
const NO_SIP = {} as SipSetup;
const PUBLIC_URL = 'https://voice.example.com';
const publicUrl: PublicUrl = () => PUBLIC_URL;

async function documentOf(...extra: Route[]): Promise<Document> {
  const routes: Route[] = [
    ...callRoutes(NO_CALLS, NO_FILES, publicUrl),
    ...sipRoutes(NO_SIP),
    ...systemRoutes({ readiness: [], metrics: async () => '' }),
    ...extra,
  ];
  routes.push(openApiRoute(() => routes, publicUrl));
  const { url } = await served(routes);
  const answer = await fetch(`${url}/openapi.json`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  return (await answer.json()) as Document;
}

function operationsOf(document: Document): [string, string, Operation][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
      path,
      method,
      operation,
    ]),
  );
}

/** Every `$ref` anywhere in a JSON value. */
function refsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : refsOf(inner),
  );
}

function resolveRef(document: unknown, ref: string): unknown {
  return ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
}

function sample(access: Access): Route {
  return route({
    method: 'patch',
    path: '/sample/{id}',
    access,
    operationId: 'sample',
    summary: 'Sample',
    tags: ['Sample'],
    deprecated: true,
    params: z.object({ id: z.uuid() }),
    query: z.object({ since: z.coerce.number().int().min(0).default(0), name: z.string() }),
    body: z.object({ text: z.string() }).optional(),
    responses: { 200: { description: 'ok', schema: z.object({ a: z.string() }).meta({ id: 'SampleBody' }) } },
    handler: () => reply(200, { a: 'x' }),
  });
}

describe('/openapi.json', () => {
  it('names the service, its address and its authentication', async () => {
    const document = await documentOf();
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: 'Voice and Chat Gateway', version: '0.1.0' });
    expect(document.servers).toEqual([{ url: PUBLIC_URL }]);
    expect(document.components.securitySchemes).toMatchObject({
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      bearer: { type: 'http', scheme: 'bearer' },
    });
  });

  it('describes every route, each with its own id and all its answers', async () => {
    const document = await documentOf();
    const operations = operationsOf(document);
    expect(operations.map(([path, method]) => `${method} ${path}`)).toEqual(
      expect.arrayContaining([
        'post /api/call',
        'get /api/call/{call_id}',
        'get /openapi.json',
        'get /metrics',
      ]),
    );
    const ids = operations.map(([, , operation]) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [path, method, operation] of operations) {
      expect(operation.summary, path).toBeTruthy();
      expect(operation.tags.length, path).toBeGreaterThan(0);
      expect(Object.keys(operation.responses), `${method} ${path}`).toContain('500');
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(status).toMatch(/^[1-5]\d\d$/);
        expect(response.description, `${path} ${status}`).toBeTruthy();
      }
    }
  });

  it('describes WebSockets by their upgrades, and their messages by JSON Schemas', async () => {
    const document = await documentOf();
    for (const path of ['/api/call/{call_id}/stream', '/api/inbox/stream'])
      expect(Object.keys(document.paths[path]!.get!.responses)).toEqual(['101', '401', '426', '500']);
    const { url } = await served([schemaRoute()]);
    const schemaOf = async (name: string) => {
      const answer = await fetch(`${url}/schemas/${name}.json`);
      return { status: answer.status, schema: (await answer.json()) as Record<string, unknown> };
    };
    for (const name of ['call-stream-request', 'call-stream-event', 'inbox-stream-event']) {
      const { status, schema } = await schemaOf(name);
      expect([name, status, schema.$schema]).toEqual([
        name,
        200,
        'https://json-schema.org/draft/2020-12/schema',
      ]);
    }
    const takes = z.fromJSONSchema((await schemaOf('call-stream-event')).schema);
    expect(takes.safeParse({ type: 'paused', played_ms: 5 }).success).toBe(true);
    expect((await schemaOf('unknown')).status).toBe(404);
  });

  it('describes HEAD of files', async () => {
    const { paths } = await documentOf(...fileRoutes(NO_FILES, publicUrl));
    expect(paths['/api/files/{token}']!.head).toMatchObject({ operationId: 'serveFileHead' });
  });

  it('declares exactly the parameters that its paths have', async () => {
    for (const [path, , operation] of operationsOf(await documentOf(sample('account')))) {
      const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1]).sort();
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(declared.map(({ name }) => name).sort()).toEqual(inPath);
      for (const { name, required } of declared) expect(required, `${path} ${name}`).toBe(true);
    }
  });

  it('has no dangling reference, and names the schemas it shares', async () => {
    const document = await documentOf(sample('runtime'));
    const refs = refsOf(document);
    expect(refs.length).toBeGreaterThan(20);
    for (const ref of refs) expect(resolveRef(document, ref), ref).toBeDefined();
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(['Error', 'ValidationError', 'Call', 'SampleBody']),
    );
  });

  it('describes the shape of queries and bodies', async () => {
    const operation = (await documentOf(sample('runtime'))).paths['/sample/{id}']!.patch!;
    expect(operation.deprecated).toBe(true);
    expect(operation.requestBody).toMatchObject({ required: false });
    const byName = Object.fromEntries(operation.parameters!.map((parameter) => [parameter.name, parameter]));
    expect(byName.since!.schema).toMatchObject({ type: 'integer', minimum: 0, default: 0 });
    expect([byName.since!.required ?? false, byName.name!.required]).toEqual([false, true]);
    expect(byName.id!.schema).toMatchObject({ type: 'string', format: 'uuid' });
  });

  it('adds the server’s own answers', async () => {
    const statusesFor = async (access: Access) =>
      Object.keys((await documentOf(sample(access))).paths['/sample/{id}']!.patch!.responses);
    expect(await statusesFor('public')).toEqual(['200', '403', '408', '413', '422', '500']);
    expect(await statusesFor('runtime')).toEqual(['200', '401', '403', '408', '413', '422', '429', '500']);
    // It stores something, for which the account may lack room.
    expect(await statusesFor('account')).toEqual([
      '200',
      '401',
      '403',
      '408',
      '413',
      '422',
      '429',
      '500',
      '507',
    ]);
    const { responses, security } = (await documentOf(sample('config'))).paths['/sample/{id}']!.patch!;
    expect(security).toEqual([{ apiKey: [] }, { bearer: [] }, { session: [] }]);
    expect(responses['401']!.content!['application/json']!.schema!.$ref).toBe('#/components/schemas/Error');
    expect(responses['422']!.content!['application/json']!.schema!.$ref).toBe(
      '#/components/schemas/ValidationError',
    );
  });

  it('refuses two routes with the same id', async () => {
    const twins = [sample('account'), { ...sample('account'), path: '/other/{id}' as const }];
    const { url, failures } = await served([openApiRoute(() => twins, publicUrl)]);
    expect((await fetch(`${url}/openapi.json`)).status).toBe(500);
    expect(String(failures[0]?.error)).toContain('operationId sample is taken');
  });
});
