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
