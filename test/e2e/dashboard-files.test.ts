import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';

describe('the files of the dashboard', () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway?.stop());

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.baseUrl}${path}`, { headers, redirect: 'manual' });

  /** The URL of the script that a page names. */
  async function scriptOf(path: string): Promise<string> {
    const html = await (await get(path)).text();
    return new URL(/src="([^"]+\.js)"/.exec(html)![1]!, `${gateway.baseUrl}${path}`).pathname;
  }

  it('is where the root leads', async () => {
    const answer = await get('/');
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('dashboard');
  });

  it.each([
    '/dashboard',
    '/dashboard/',
    '/dashboard/calls',
    '/dashboard/calls/',
    '/dashboard/agents/agt_1/provider',
    '/docs',
  ])('has its page at %s, which names its files from there', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = answer.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).not.toContain('unsafe');
    expect(await answer.text()).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
    const script = await scriptOf(path);
    expect(script).toMatch(/^\/dashboard\/assets\/(dashboard|reference)-\w+\.js$/);
    expect((await get(script)).status).toBe(200);
  });

  it('lets browsers keep the page until it changes, and its files for good', async () => {
    const page = await get('/dashboard/calls');
    const etag = page.headers.get('etag')!;
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const again = await get('/dashboard/calls', { 'if-none-match': etag });
    expect(again.status).toBe(304);
    expect(again.headers.get('content-security-policy')).toContain("script-src 'self'");
    const script = await get(await scriptOf('/dashboard'));
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  });

  it('compresses for those who take it', async () => {
    const path = await scriptOf('/dashboard');
    const [packed, plain] = await Promise.all([
      get(path, { 'accept-encoding': 'br, gzip' }),
      get(path, { 'accept-encoding': 'identity' }),
    ]);
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await packed.text()).toBe(await plain.text());
  });

  it('asks for nothing that the gateway does not have', async () => {
    const { paths } = (await (await get('/openapi.json')).json()) as { paths: Record<string, object> };
    const known = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`.split('/')),
    );
    const isKnown = (endpoint: string) =>
      known.some(
        (parts) =>
          parts.length === endpoint.split('/').length &&
          endpoint.split('/').every((part, at) => part === parts[at] || part.startsWith('{')),
      );
    const asked = sources().flatMap(
      (source) => source.match(/(?<=')(?:GET|POST|PUT|PATCH|DELETE) \/[^'?]*/g) ?? [],
    );
    expect(asked.length).toBeGreaterThan(80);
    expect(asked.filter((endpoint) => !isKnown(endpoint))).toEqual([]);
  });

  it.each(['page.html', 'none.js', '..%2f..%2fmain.cjs', '%2e%2e%2fpage.html'])(
    'has no file %s',
    async (name) => {
      expect((await get(`/dashboard/assets/${name}`)).status).toBe(404);
    },
  );
});

function sources(): string[] {
  const root = new URL('../../src/dashboard/', import.meta.url);
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(new URL(name, root), 'utf8'));
}
