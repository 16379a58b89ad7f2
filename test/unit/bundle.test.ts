import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const { bundle } = createRequire(import.meta.url)('../../config/bundle.cjs') as {
  bundle(dir: string): Promise<void>;
};

it('the bundle is ASCII, so that V8 holds it at one byte a character', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const dir = join(folder, 'bundle');
  await bundle(dir);
  const files = readdirSync(dir).filter((name) => name.endsWith('.cjs'));
  expect(files).toContain('main.cjs');
  for (const file of files) {
    const beyond = readFileSync(join(dir, file)).findIndex((byte) => byte > 127);
    expect(beyond, file).toBe(-1);
  }
});
