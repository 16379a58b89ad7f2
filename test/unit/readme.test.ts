import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

test('src/api/README.md quotes the example agent verbatim', () => {
  const quoted = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'src/api/README.md'), 'utf8'))?.[1];
  expect(quoted).toBe(readFileSync(join(ROOT, 'bench/demo/agent.ts'), 'utf8'));
});
