import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LoopbackWorld } from '../loopback/loopback-world.ts';
import { PLATFORM } from '../loopback/platform.ts';
import { Gateway } from '../support/gateway.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Description {
  readonly paths: Record<string, unknown>;
  readonly components: { readonly schemas: Record<string, unknown> };
}

/** The API's description, without the addresses of the gateway. */
async function description({ baseUrl }: Gateway): Promise<Description> {
  const text = await (await fetch(`${baseUrl}/openapi.json`)).text();
  return JSON.parse(text.replaceAll(baseUrl, '').replaceAll(baseUrl.replace('http', 'ws'), ''));
}

it('a platform adds its webhook to the API, and nothing else', async () => {
  const world = await LoopbackWorld.start();
  const product = await Gateway.start();
  try {
    const [withLoopback, without] = await Promise.all([world.gateway, product].map(description));
    const webhook = `/api/${PLATFORM}/webhook/{login_key}`;
    expect(withLoopback!.paths[webhook]).toBeDefined();
    expect(without!.paths[webhook]).toBeUndefined();
    delete withLoopback!.paths[webhook];
    // It stands in Discord's place, and has no links to bots.
    delete without!.paths[`/api/${PLATFORM}/connect`];
    delete without!.components.schemas.DiscordLink;
    expect(withLoopback).toEqual(without);
  } finally {
    await product.stop();
    await world.stop();
  }
});

it('the product knows nothing of the loopback platform', () => {
  const sources = globSync('src/**/*.{ts,cjs,mjs}', { cwd: ROOT });
  expect(sources.length).toBeGreaterThan(500);
  const knowing = sources.filter((file) =>
    /test\/loopback|Loopback(Connector|Vendor)|loopback platform/i.test(
      readFileSync(join(ROOT, file), 'utf8'),
    ),
  );
  expect(knowing).toEqual([]);
});
