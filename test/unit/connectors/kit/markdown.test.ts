import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { wholeOf } from '../../../support/seen/seen.ts';
import { READERS, WRITERS } from './platform-writers.ts';

const APART = '\u200b';

describe.each([
  [
    'emphasis without spaces',
    'これは**大事**です',
    { Slack: `これは${APART}*大事*${APART}です`, Discord: 'これは**大事**です' },
  ],
  [
    'one star',
    'a *b* c',
    { Discord: 'a **b** c', Teams: 'a **b** c', WhatsApp: 'a *b* c', Slack: 'a *b* c' },
  ],
  [
    'stars in words',
    '2*3*4 and a*b*c',
    { Slack: '2*3*4 and a*b*c', Discord: '2\\*3\\*4 and a\\*b\\*c', Telegram: '2*3*4 and a*b*c' },
  ],
  [
    'names',
    'snake_case __init__',
    { Telegram: 'snake_case __init__', Discord: 'snake_case \\_\\_init\\_\\_' },
  ],
  [
    'an address with brackets',
    '[Rust](https://en.wikipedia.org/wiki/Rust_(programming_language))',
    {
      Discord: '[Rust](https://en.wikipedia.org/wiki/Rust_(programming_language))',
      Slack: '<https://en.wikipedia.org/wiki/Rust_(programming_language)|Rust>',
      WhatsApp: 'Rust (https://en.wikipedia.org/wiki/Rust_(programming_language))',
    },
  ],
  [
    'marks in an address',
    'https://a.b/c_d_e?x=*1*&y=_z_',
    { Slack: '<https://a.b/c_d_e?x=*1*&amp;y=_z_>', Telegram: 'https://a.b/c_d_e?x=*1*&y=_z_' },
  ],
  [
    'a fence around a fence',
    '`````\n```\na\n```\n`````',
    {
      Discord: `\`\`\`\n\`${APART}\`${APART}\`\na\n\`${APART}\`${APART}\`\n\`\`\``,
      Teams: '````\n```\na\n```\n````',
      Telegram: '```\na\n```',
    },
  ],
  ['code with a backtick', '``a`b``', { Discord: '``a`b``', Telegram: 'a`b', Slack: `a\`${APART}b` }],
  ['escaped marks', '\\_x\\_', { Telegram: '_x_', Discord: '\\_x\\_', Slack: `_${APART}x_${APART}` }],
  [
    'a fence with CRLF',
    '```js\r\nfoo\r\n```\r\nbar',
    { Discord: '```js\nfoo\n```\nbar', Telegram: 'foo\nbar' },
  ],
  [
    'nested lists',
    '- a\n  - **b**\n    1. c\n- d\n\n\nend',
    { Discord: '- a\n  - **b**\n    1. c\n- d\n\n\nend', Slack: '• a\n  • *b*\n    1. c\n• d\n\n\nend' },
  ],
  [
    'a table',
    '| a | b |\n|---|---|\n| 10 | [l](http://u.v) |',
    {
      Discord: '```\na  | b\n---+---------------\n10 | l (http://u.v)\n```',
      Telegram: 'a  | b\n---+---------------\n10 | l (http://u.v)',
    },
  ],
  ['a quote', '> q\n>\n> - z', { Slack: '> q\n> \n> • z', Telegram: 'q\n\n• z', Teams: '> q\n> \n> - z' }],
  ['headings', '# One *two*', { Discord: '# One **two**', Slack: '*One two*', Teams: '**One two**' }],
  [
    'HTML',
    '<b>x</b> & y',
    { Discord: '<b>x</b> & y', Teams: '&lt;b&gt;x&lt;/b&gt; & y', Slack: '&lt;b&gt;x&lt;/b&gt; &amp; y' },
  ],
  ['what has nothing to see', '```\n```', { Telegram: '```\n```' }],
  ['a lone dash', '-', { Telegram: '-', Discord: '-', WhatsApp: '-' }],
  [
    'a definition, which readers of Markdown would not show',
    'so [1]\n\n[1]: https://e.org',
    {
      Discord: 'so [1]\n\n\\[1]: https://e.org',
      Teams: 'so [1]\n\n\\[1]: https://e.org',
      'Nextcloud Talk': 'so [1]\n\n\\[1]: https://e.org',
      Telegram: 'so [1]\n\n[1]: https://e.org',
    },
  ],
  [
    'three stars',
    '***both***',
    { Discord: '_**both**_', Slack: '_*both*_', WhatsApp: '_*both*_', Teams: '_**both**_' },
  ],
  [
    'a mark at the end of a word, and one in an address',
    'Gimmick_: <https://a.org/gimmick_/>',
    { Discord: 'Gimmick\\_: https://a.org/gimmick_/', Teams: 'Gimmick_: https://a.org/gimmick_/' },
  ],
  [
    'two lines, which are no spoiler',
    'a || b || c',
    { Discord: 'a \\|\\| b \\|\\| c', Teams: 'a || b || c' },
  ],
  [
    'signs of full width',
    '“**引用**”，**強調**。',
    { Slack: `“${APART}*引用*${APART}”，${APART}*強調*${APART}。`, Discord: '“**引用**”，**強調**。' },
  ],
  ['a rule below words', 'a\n---\nb', { Discord: 'a\n---\nb', Slack: 'a\n———\nb' }],
] as [string, string, Record<string, string>][])('%s', (_kind, text, written) => {
  it.each(Object.entries(written))('on %s', (platform, expected) => {
    expect(WRITERS[platform]?.(text)).toBe(expected);
  });
});

/** A document, with the words and addresses that must not get lost. */
interface Written {
  readonly text: string;
  readonly kept: readonly string[];
}

const word = fc
  .stringMatching(/^[a-z]{2,8}$|^[а-я]{2,6}$|^[一-龥]{1,4}$/)
  .map((text): Written => ({ text, kept: [text] }));
/** A mark at the end of an address, or alone in brackets, may as well be one of the text around it. */
const address = fc
  .stringMatching(
    /^https:\/\/[a-z]{2,8}\.org\/(?:[a-z_*]{0,7}[a-z])?(?:\([a-z]{1,3}(?:_[a-z]{1,3})?\))?(?:\?[a-z]{1,4}=[a-z_~]{1,5}x)?$/,
  )
  .map((url): Written => ({ text: url, kept: [url] }));
/** A bare address stands by itself: whether a mark that touches it belongs to it cannot be told. */
const { inline } = fc.letrec<{ inline: Written; marked: Written }>((tie) => ({
  inline: fc.oneof(address, tie('marked')),
  marked: fc.oneof(
    { maxDepth: 3 },
    word,
    word.map(({ text, kept }) => ({ text: `\`${text}\``, kept })),
    fc.tuple(fc.constantFrom('*', '**', '_', '~~'), tie('marked')).map(([mark, { text, kept }]) => ({
      text: `${mark}${text}${mark}`,
      kept,
    })),
    fc.tuple(word, address).map(([label, url]) => ({
      text: `[${label.text}](${url.text})`,
      kept: [...label.kept, ...url.kept],
    })),
  ),
}));
const line = joined(inline, ' ', 5);
const { block } = fc.letrec<{ block: Written }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 2 },
    joined(line, '\n', 3),
    line.map(({ text, kept }) => ({ text: `## ${text}`, kept })),
    joined(word, '\n', 3).map(({ text, kept }) => ({ text: `\`\`\`py\n${text}\n\`\`\``, kept })),
    fc.array(tie('block'), { minLength: 1, maxLength: 3 }).map((items) => listed(items, '- ')),
    fc.array(tie('block'), { minLength: 1, maxLength: 3 }).map((items) => listed(items, '1. ')),
    tie('block').map(({ text, kept }) => ({ text: text.replace(/^/gm, '> '), kept })),
    fc.array(fc.tuple(inline, inline), { minLength: 2, maxLength: 4 }).map((rows) => ({
      text: rows
        .map(([one, other], row) => `| ${one.text} | ${other.text} |${row === 0 ? '\n|---|---|' : ''}`)
        .join('\n'),
      kept: rows.flat().flatMap(({ kept }) => kept),
    })),
  ),
}));
const document = joined(block, '\n\n', 5);

function joined(piece: fc.Arbitrary<Written>, separator: string, maxLength: number): fc.Arbitrary<Written> {
  return fc.array(piece, { minLength: 1, maxLength }).map((pieces) => ({
    text: pieces.map(({ text }) => text).join(separator),
    kept: pieces.flatMap(({ kept }) => kept),
  }));
}

function listed(items: readonly Written[], marker: string): Written {
  const indent = ' '.repeat(marker.length);
  return {
    text: items.map(({ text }) => `${marker}${text.replaceAll('\n', `\n${indent}`)}`).join('\n'),
    kept: items.flatMap(({ kept }) => kept),
  };
}

/** In pieces, because a unit test may take a second. */
const PIECES = [1, 2, 3, 4];
const DOCUMENTS = 500;

describe.each(Object.entries(READERS))('every word and every address of a document', (platform, read) => {
  it.each(PIECES)(`arrives on ${platform}, %i of ${PIECES.length}`, () => {
    fc.assert(
      fc.property(document, ({ text, kept }) => {
        const seen = wholeOf(read(text));
        for (const piece of kept) expect(seen).toContain(piece);
      }),
      { numRuns: DOCUMENTS / PIECES.length },
    );
  });
});

test('addresses outnumber the entities that Telegram takes', () => {
  const marks = '**a** '.repeat(150);
  expect(wholeOf(READERS.Telegram!(`${marks}[last](https://a.b/last)`))).toContain('https://a.b/last');
  const links = Array.from({ length: 150 }, (_, n) => `[${n}](https://a.b/${n})`).join(' ');
  const seen = wholeOf(READERS.Telegram!(links));
  for (let n = 0; n < 150; n++) expect(seen).toContain(`https://a.b/${n}`);
});
