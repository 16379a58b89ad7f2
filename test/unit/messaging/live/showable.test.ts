import { describe, expect, it } from 'vitest';
import { toMarkdown } from '../../../../src/connectors/teams/messages/text.ts';
import { settled, showable } from '../../../../src/messaging/live/showable.ts';

describe('what is shown of a text that is being written', () => {
  it.each([
    ['Hel', 'Hel'],
    ['Hello wor', 'Hello'],
    ['Hello **wo', 'Hello'],
    ['Hello **big wo', 'Hello **big**'],
    ['Hello **big** ~~old new', 'Hello **big** ~~old~~'],
    ['See [the pa', 'See'],
    ['See [the page](https://exam', 'See'],
    ['See ![a picture](https://exam', 'See'],
    ['See [the page](https://example.org) and', 'See [the page](https://example.org)'],
    ['Run `npm in', 'Run `npm`'],
    ['Run `npm install` and **st', 'Run `npm install` and'],
    ['One **done**\n\nTwo **th', 'One **done**\n\nTwo'],
    ['```js\nconst a = 1;\nconst **b', '```js\nconst a = 1;\nconst'],
    ['これは', 'これは'],
    [' \n', ''],
  ])('of %j is %j', (source, shown) => {
    expect(showable(source)).toBe(shown);
  });

  it('is found in linear time', () => {
    for (const piece of ['[', '`', '**', '~~ ', '``` ', '\n', '![a](b'])
      for (const length of [65_536]) {
        const startedMs = performance.now();
        showable(piece.repeat(length / piece.length));
        expect(performance.now() - startedMs).toBeLessThan(200);
      }
  });
});

describe('what is shown where nothing that is shown may change', () => {
  it.each([
    ['Hello **big wo', 'Hello'],
    ['Hello **big** and *it', 'Hello **big** and'],
    ['2 * 3 is snake_case and', '2 * 3 is snake_case'],
    ['* one\n* two th', '* one\n* two'],
    ['See [the page](https://exam', 'See'],
    ['Run `a * b` no', 'Run `a * b`'],
    ['One\n\n| a | b |\n| - | -', 'One'],
    ['One\n\n```\ncode\n\nmore', 'One'],
    ['One\n\n```\ncode\n```\nmore wo', 'One\n\n```\ncode\n```\nmore'],
  ])('of %j is %j', (source, shown) => {
    expect(settled(source)).toBe(shown);
  });

  const WHOLE = [
    'Hello **bold words** and *it is* so, `a * b` too.',
    '# Title\n\n- one **two**\n- three _four_ five\n\n1. a\n2. b_c',
    'See [the page](https://example.org/a_(b)?x=*1*) and https://example.org/c_d, ~~not~~ this.\n\n> quoted **words** here',
    'Code:\n\n```js\nconst a = 1 < 2;\n\nb();\n```\n\nAnd a table:\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\nThe end.',
    'これは**大事**です。 次の文、`code`。\n\n<b>tags</b> & more 2*3*4',
  ];

  it.each(WHOLE)('grows up to the whole text: %j', (whole) => {
    let shown = '';
    for (let length = 1; length <= whole.length; length++) {
      const now = toMarkdown(settled(whole.slice(0, length)));
      if (now.length < shown.length) continue;
      expect(now.startsWith(shown), `${JSON.stringify(shown)} becomes ${JSON.stringify(now)}`).toBe(true);
      shown = now;
    }
    expect(toMarkdown(whole).startsWith(shown)).toBe(true);
    expect(shown.length).toBeGreaterThan(whole.length / 2);
  });
});
