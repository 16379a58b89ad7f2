import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeVariables } from '../../../src/settings/variables.ts';

const README = join(import.meta.dirname, '../../../README.md');

test.skipIf(!existsSync(README))('the README documents every variable correctly, and no other', () => {
  const shown = readFileSync(README, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `SVC_'));
  expect(shown).toEqual(
    describeVariables().map(({ name, default: text, meaning }) => `| \`${name}\` | ${text} | ${meaning} |`),
  );
});
