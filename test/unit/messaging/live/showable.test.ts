import { describe, expect, it } from 'vitest';
import { showable } from '../../../../src/messaging/live/showable.ts';

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
    expect(showable(source).text).toBe(shown);
  });

  it('begins as the text does, so that it can be appended to', () => {
    const source =
      'A **bold** word, `code`, a [link](https://example.org/a) and\n\n```js\nx = 1;\n```\n\nthe end.';
    let before = '';
    for (let length = 1; length <= source.length; length++) {
      const { prefix } = showable(source.slice(0, length));
      expect(source.startsWith(prefix)).toBe(true);
      before = prefix;
    }
    expect(before.length).toBeGreaterThan(60);
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
