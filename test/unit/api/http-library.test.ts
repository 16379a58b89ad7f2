import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HttpServerOptions } from '../../../src/api/http/server.ts';
import { SHA256 } from '../../../src/api/http/uws/checksums.ts';

const FILES = join(import.meta.dirname, '../../../node_modules/uWebSockets.js/dist/bin');

/** The server's modules as in a process that has not loaded a library yet. */
async function freshServer(options: Partial<HttpServerOptions>) {
  vi.resetModules();
  const { HttpServer } = await import('../../../src/api/http/server.ts');
  return new HttpServer({
    routes: [],
    sockets: [],
    authenticate: () => null,
    onError: () => undefined,
    ...options,
  });
}

function pretendToBeOn(arch: string): void {
  vi.spyOn(process, 'arch', 'get').mockReturnValue(arch as NodeJS.Architecture);
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.doUnmock('../../../src/api/http/uws/checksums.ts');
  // Modules loaded here must not leak into the next file of this process.
  vi.resetModules();
});

describe('the server library', () => {
  it('falls back to Node’s own where uWebSockets.js has no build for the machine, and logs it', async () => {
    pretendToBeOn('riscv64');
    const reasons: string[] = [];
    const server = await freshServer({ onFallback: (reason) => reasons.push(reason) });
    expect(server.library).toBe('node');
    expect(reasons).toEqual([expect.stringMatching(/no build for this machine .*riscv64/)]);
  });

  it('is never another one than the operator asked for', async () => {
    pretendToBeOn('riscv64');
    await expect(freshServer({ library: 'uws' })).rejects.toThrow(/SVC_HTTP_SERVER is "uws", but .*no build/);
    expect((await freshServer({ library: 'node' })).library).toBe('node');
  });

  it('fails to load when its native file is not the pinned one', async () => {
    const wrong = Object.fromEntries(Object.keys(SHA256).map((name) => [name, '0'.repeat(64)]));
    vi.doMock('../../../src/api/http/uws/checksums.ts', () => ({ SHA256: wrong }));
    const onFallback = vi.fn();
    for (const library of ['auto', 'uws'] as const) {
      await expect(freshServer({ library, onFallback })).rejects.toThrow(
        /is not the file that this version of the gateway was tested with .*npm install.*SVC_HTTP_SERVER=node/,
      );
    }
    expect(onFallback).not.toHaveBeenCalled();
    expect((await freshServer({ library: 'node' })).library).toBe('node');
  });

  it('has a checksum for every native file of Node 22 that is installed', () => {
    const installed = globSync(join(FILES, 'uws_*_127.node')).map((path) => [
      basename(path),
      createHash('sha256').update(readFileSync(path)).digest('hex'),
    ]);
    // Those for other machines are deleted after an installation.
    expect(installed.map(([name]) => name)).toContain(`uws_${process.platform}_${process.arch}_127.node`);
    expect(SHA256).toMatchObject(Object.fromEntries(installed));
  });
});
