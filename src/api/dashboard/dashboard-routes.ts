import { hash } from 'node:crypto';
import * as z from 'zod';
import { GatewayError } from '../../base/errors.ts';
import { replyBytes, replyEmpty } from '../http/answer/reply.ts';
import { type Route, type RouteRequest, resource } from '../http/routing/route.ts';
import { HTML_TYPE } from '../pages/page.ts';
import { dashboardLoader } from './dashboard-files.ts';

const open = resource('public', 'Dashboard');

/**
 * Only the gateway's own scripts and styles, and none in the page itself. Previews of voices come from their vendors.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "media-src 'self' https:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const PAGE_HEADERS = {
  'Content-Security-Policy': POLICY,
  'Permissions-Policy': 'microphone=(self), camera=(), geolocation=()',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** Deepest path of a page, as in `/dashboard/agents/{id}/deliveries`. */
const DEPTHS = ['', '/{a}', '/{a}/{b}', '/{a}/{b}/{c}'] as const;
const DOCS = '/docs';
const PAGES = [DOCS, ...DEPTHS.map((below) => `/dashboard${below}` as const)] as const;

type PageRequest = RouteRequest<null, unknown>;

/**
 * The dashboard: its page at each path below `/dashboard`, which decides by itself what it shows, the reference of the API
 * at `/docs`, and their files. They are not part of the API, so OpenAPI does not list them.
 */
export function dashboardRoutes(): Route[] {
  const load = dashboardLoader();
  const page = async (request: PageRequest) => {
    const { pages } = await load();
    const shown = request.path.startsWith(DOCS) ? pages.reference : pages.dashboard;
    const html = shown.replaceAll('{{assets}}', `${upToRoot(request.path)}dashboard/assets`);
    const etag = `"${hash('sha256', html, 'base64url').slice(0, 22)}"`;
    const headers = { ...PAGE_HEADERS, 'Cache-Control': 'no-cache', ETag: etag };
    if (request.header('if-none-match') === etag) return replyEmpty(304, headers);
    return replyBytes(200, HTML_TYPE, html, headers);
  };
  return [
    open.get('/', {
      operationId: 'goToDashboard',
      summary: 'Go to the dashboard',
      responses: { 302: { description: 'To the dashboard', headers: { Location: 'The dashboard' } } },
      // Relative, because the gateway may be served under a path.
      handler: () => replyEmpty(302, { Location: 'dashboard', 'Cache-Control': 'no-store' }),
    }),
    ...PAGES.map((path, at) =>
      open.get(path, {
        operationId: `getDashboard${at}`,
        summary: 'Get the page of the dashboard',
        headers: ['if-none-match'],
        params: paramsIn(path),
        responses: {
          200: { description: 'The page', contentType: HTML_TYPE },
          304: { description: 'The browser has it' },
        },
        fails: ['not_ready'],
        handler: page,
      }),
    ),
    open.get('/dashboard/assets/{name}', {
      operationId: 'getDashboardFile',
      summary: 'Get a file of the dashboard',
      headers: ['accept-encoding'],
      params: z.object({ name: z.string() }),
      responses: { 200: { description: 'The file', contentType: '*/*' } },
      fails: ['not_found', 'not_ready'],
      handler: async (request) => {
        const file = (await load()).files.get(request.params.name);
        if (file === undefined) throw new GatewayError('not_found');
        const headers = {
          'Cache-Control': 'public, max-age=31536000, immutable',
          'X-Content-Type-Options': 'nosniff',
          Vary: 'Accept-Encoding',
        };
        if (file.gzipped === null || !/\bgzip\b/.test(request.header('accept-encoding')))
          return replyBytes(200, file.contentType, file.bytes, headers);
        return replyBytes(200, file.contentType, file.gzipped, { ...headers, 'Content-Encoding': 'gzip' });
      },
    }),
  ];
}

/** The relative URL from a page to the folder that has the `dashboard`. */
function upToRoot(path: string): string {
  return '../'.repeat(path.split('/').length - 2);
}

function paramsIn(path: string): z.ZodObject {
  const names = [...path.matchAll(/\{(\w)\}/g)].map(([, name]) => name!);
  return z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
}
