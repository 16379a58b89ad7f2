import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const LOOPBACK = join(import.meta.dirname, '../../loopback');
/** Fifteen of them tie in what came later: quotes, buttons and reactions, which have files of their own. */
const MOST_LINES = 450 + 15;
const LATER = ['messages/context.ts', 'messages/reactions.ts'];

it('a chat platform with webhook, text, files, typing and status takes at most 450 lines on top of the kit', () => {
  const files = ['platform.ts', ...globSync('messages/**/*.ts', { cwd: LOOPBACK })].filter(
    (file) => !LATER.includes(file),
  );
  expect(files.length).toBeGreaterThan(5);
  const texts = files.map((file) => readFileSync(join(LOOPBACK, file), 'utf8'));
  const lines = texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
  expect(lines).toBeLessThanOrEqual(MOST_LINES);
  // It needs nothing of the platform's calls, connections and event stream.
  const others = texts.flatMap(
    (text) => text.match(/from '\.\.\/(?!platform\.ts|(?:\.\.\/)+src\/).*'/g) ?? [],
  );
  expect(others).toEqual([]);
});
