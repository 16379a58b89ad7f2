import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { marked, type Token, type TokensList } from 'marked';
import { expect, it, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const DOCUMENTS = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n');
const README_MAX_LINES = 200;

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test('src/api/README.md quotes the example agent verbatim', () => {
  const quoted = /```ts\n([\s\S]*?)```/.exec(textOf('src/api/README.md'))?.[1];
  expect(quoted).toBe(textOf('bench/demo/agent.ts'));
});

test('README.md stays short', () => {
  expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(README_MAX_LINES);
});

it.each(DOCUMENTS)('the links of %s lead somewhere', (path) => {
  const broken = linksIn(path).filter((link) => !leadsSomewhere(path, link));
  expect(broken).toEqual([]);
});

const parsed = new Map<string, TokensList>();

function tokensOf(path: string): TokensList {
  const tokens = parsed.get(path) ?? marked.lexer(textOf(path));
  parsed.set(path, tokens);
  return tokens;
}

/** Links and pictures of the project's own, as they are written. */
function linksIn(path: string): string[] {
  const links: string[] = [];
  // It returns what the function returns: nothing to wait for.
  void marked.walkTokens(tokensOf(path), (token: Token) => {
    if (token.type === 'link' || token.type === 'image') links.push(token.href);
  });
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

function leadsSomewhere(path: string, link: string): boolean {
  const [file, anchor] = link.split('#') as [string, string?];
  const target = file === '' ? path : join(dirname(path), file);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsOf(target).has(anchor);
}

/** The anchors that GitHub gives to headings. */
function anchorsOf(path: string): Set<string> {
  const headings = tokensOf(path).filter(({ type }) => type === 'heading');
  return new Set(
    headings.map((heading) => {
      const words = 'text' in heading ? heading.text.toLowerCase() : '';
      return words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/ /g, '-');
    }),
  );
}
