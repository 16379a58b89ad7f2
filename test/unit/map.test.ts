import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '../../src');

/** The names of files in the map's tables, each below its folder's heading. */
function mappedFiles(): string[] {
  let folder = '';
  const files: string[] = [];
  for (const line of readFileSync(join(SRC, 'README.md'), 'utf8').split('\n')) {
    const heading = /^\*\*(?:([\w/-]+)\/\*\*|The process\*\*)/.exec(line);
    if (heading) folder = heading[1] ?? '';
    const cell = /^\| (`.+?) \|/.exec(line)?.[1] ?? '';
    for (const [, name] of cell.matchAll(/`([\w./-]+\.(?:ts|cjs|mjs))`/g)) {
      files.push(join(folder, name!));
    }
  }
  return files.sort();
}

test('the map names every file of src, and no other', () => {
  expect(mappedFiles()).toEqual(globSync('**/*.{ts,cjs,mjs}', { cwd: SRC }).sort());
});
