import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PathTable } from '../../../src/api/http/routing/path-table.ts';

function table(...patterns: string[]): PathTable<string> {
  const paths = new PathTable<string>();
  for (const pattern of patterns) paths.at(pattern, () => pattern);
  return paths;
}

describe('PathTable', () => {
  it('finds literal paths, with and without a trailing slash', () => {
    const paths = table('/', '/api/calls');
    expect(paths.find('/api/calls')).toEqual({ target: '/api/calls', values: [] });
    expect(paths.find('/api/calls/')?.target).toBe('/api/calls');
    expect(paths.find('/')?.target).toBe('/');
    for (const wrong of [
      '/api',
      '/api/calls/x',
      '/api/calls//',
      '/api//calls',
      '//api/calls',
      '/API/calls',
    ]) {
      expect(paths.find(wrong), wrong).toBeNull();
    }
  });

  it('decodes parameters', () => {
    const paths = table('/a/{x}/b/{y}');
    expect(paths.find('/a/1%2F2/b/%C3%A9%20')?.values).toEqual(['1/2', 'é ']);
    expect(paths.find('/a/+/b/~')?.values).toEqual(['+', '~']);
  });

  it('never matches empty parameters or bad percent-encoding', () => {
    const paths = table('/a/{x}/b');
    for (const wrong of ['/a//b', '/a/%/b', '/a/%zz/b', '/a/%C3/b', '/a/%ff/b']) {
      expect(paths.find(wrong), wrong).toBeNull();
    }
  });

  it('prefers literals, and falls back to the parameter where a literal is a dead end', () => {
    const paths = table('/agents/providers', '/agents/{id}', '/agents/{id}/test', '/{any}/{id}/tail');
    expect(paths.find('/agents/providers')?.target).toBe('/agents/providers');
    expect(paths.find('/agents/x')).toEqual({ target: '/agents/{id}', values: ['x'] });
    expect(paths.find('/agents/providers/test')).toEqual({
      target: '/agents/{id}/test',
      values: ['providers'],
    });
    expect(paths.find('/agents/providers/tail')?.values).toEqual(['agents', 'providers']);
  });

  it('returns every parameter value unchanged', () => {
    const paths = table('/a/{x}/{y}/z');
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string({ minLength: 1 }), (x, y) => {
        const path = `/a/${encodeURIComponent(x)}/${encodeURIComponent(y)}/z`;
        expect(paths.find(path)?.values).toEqual([x, y]);
      }),
    );
  });

  it('survives any text', () => {
    const paths = table('/', '/a/{x}', '/a/b/{y}/c');
    fc.assert(
      fc.property(fc.string(), (text) => {
        paths.find(`/${text}`);
      }),
    );
  });
});
