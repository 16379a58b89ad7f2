import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

test('the types of these tests fit those of the vendors, which npm run check does not install', () => {
  const { status, stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsgo'), ['-p', 'test/sdks'], {
    cwd: ROOT,
  });
  expect({ status, errors: `${stdout}` }).toEqual({ status: 0, errors: '' });
});
