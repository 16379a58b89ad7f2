import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeVariables } from '../../../src/settings/variables.ts';

const SETTINGS = join(import.meta.dirname, '../../../config/settings.md');

test.skipIf(!existsSync(SETTINGS))(
  'config/settings.md documents every variable correctly, and no other',
  () => {
    const shown = readFileSync(SETTINGS, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| `SVC_'));
    expect(shown).toEqual(
      describeVariables().map(({ name, default: text, meaning }) => `| \`${name}\` | ${text} | ${meaning} |`),
    );
  },
);
