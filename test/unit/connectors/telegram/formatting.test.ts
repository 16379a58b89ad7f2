import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatted, type TextEntity } from '../../../../src/connectors/telegram/formatting.ts';

/** Each entity as its type and the text it covers. */
function marks(source: string): [string, string][] {
  const { text, entities } = formatted(source);
  return entities.map(({ type, offset, length }) => [type, text.slice(offset, offset + length)]);
}

test.each<[string, string, [string, string][]]>([
  ['plain text', 'plain text', []],
  [
    '*bold* and _italic_',
    'bold and italic',
    [
      ['bold', 'bold'],
      ['italic', 'italic'],
    ],
  ],
  ['**bold** too', 'bold too', [['bold', 'bold']]],
  ['run `rm -rf *` now', 'run rm -rf * now', [['code', 'rm -rf *']]],
  ['```\na *b*\n```', 'a *b*', [['pre', 'a *b*']]],
  ['```js\nlet a_b;\n```\n!', 'let a_b;\n!', [['pre', 'let a_b;']]],
  [
    'see [the *docs*](https://x.org/a_b)',
    'see the docs',
    [
      ['text_link', 'the docs'],
      ['bold', 'docs'],
    ],
  ],
  [
    '*all _nested_ here*',
    'all nested here',
    [
      ['bold', 'all nested here'],
      ['italic', 'nested'],
    ],
  ],
  [
    '(*a*), _b_.',
    '(a), b.',
    [
      ['bold', 'a'],
      ['italic', 'b'],
    ],
  ],
  ['*😀* é', '😀 é', [['bold', '😀']]],
  ['snake_case_name, 2*3*4, __init__', 'snake_case_name, 2*3*4, __init__', []],
  ['a * b * c and _ and *', 'a * b * c and _ and *', []],
  ['* one\n* two', '• one\n• two', []],
  ['*over\nlines*', 'over\nlines', [['bold', 'over\nlines']]],
  ['*open and `shut', '*open and `shut', []],
  ['[no](javascript:alert) [x]', 'no (javascript:alert) [x]', []],
  ['``` ```', '``` ```', []],
])('%j is formatted as %j', (source, text, expected) => {
  expect(formatted(source).text).toBe(text);
  expect(marks(source)).toEqual(expected);
});

test('a code block has its language, and a link its target', () => {
  expect(formatted('```c++\nx\n```\n[a](http://b.c)').entities).toEqual([
    { type: 'pre', offset: 0, length: 1, language: 'c++' },
    { type: 'text_link', offset: 2, length: 1, url: 'http://b.c' },
  ]);
});

const pieces = fc.array(
  fc.oneof(
    fc.constantFrom('*', '**', '_', '`', '```', '\n', ' ', '[', '](http://a.b)', '😀', 'a', 'é'),
    fc.string({ unit: 'binary', maxLength: 5 }),
  ),
  { maxLength: 40 },
);

test('entities always lie within the text, and only the Markdown is removed', () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const source = parts.join('');
      const { text, entities } = formatted(source);
      expect(entities.every((entity) => isWithin(entity, text))).toBe(true);
      const bare = (some: string) => some.replace(/[*_`[\]()\s]|http:\/\/a\.b/g, '');
      // A rule of three stars or underscores is drawn as three dashes, and a star at a list's item as a bullet.
      expect(bare(text).replace(/———|•/g, '').length).toBeLessThanOrEqual(bare(source).length);
    }),
  );
});

function isWithin({ offset, length }: TextEntity, text: string): boolean {
  return offset >= 0 && length > 0 && offset + length <= text.length;
}

test('a long text of nothing but Markdown is formatted quickly', () => {
  const before = process.threadCpuUsage();
  for (const mark of ['*', '_', '`', '[', '```', '*a', '_a ', '[a]('])
    formatted(mark.repeat(4_096 / mark.length));
  expect(process.threadCpuUsage(before).user).toBeLessThan(1e6);
});
