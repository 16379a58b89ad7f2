import { replyBytes } from '../http/answer/reply.ts';
import { type Route, route } from '../http/routing/route.ts';
import type { PublicUrl } from './call-wire.ts';
import { openApiDocument } from './openapi-document.ts';

/**
 * `GET /openapi.json`: the description of `routes()`, which may include this route. Generated at the first request and
 * cached.
 */
export function openApiRoute(routes: () => readonly Route[], publicUrl: PublicUrl): Route {
  // Cached as bytes, so that requests do not encode about 250 KB each time.
  let bytes: Buffer | null = null;
  return route({
    method: 'get',
    path: '/openapi.json',
    access: 'public',
    operationId: 'getOpenApi',
    summary: 'Get this document',
    tags: ['System'],
    responses: { 200: { description: 'An OpenAPI 3.1.0 document', contentType: 'application/json' } },
    handler: () => {
      bytes ??= Buffer.from(JSON.stringify(openApiDocument(routes(), publicUrl())));
      return replyBytes(200, 'application/json', bytes);
    },
  });
}
