import { describe, expect, it } from 'vitest';
import { toMrkdwn } from '../../../../src/connectors/slack/messages/mrkdwn.ts';
import { mentionsIn, plainText } from '../../../../src/connectors/slack/messages/plain-text.ts';

describe('what agents write', () => {
  it.each([
    ['*bold* _italic_ `code`', '*bold* _italic_ `code`'],
    ['**bold** text', '*bold* text'],
    ['a & b < c > d', 'a &amp; b &lt; c &gt; d'],
    ['[the plan](https://example.org/a?b=1&c=2)', '<https://example.org/a?b=1&amp;c=2|the plan>'],
    ['[**the plan**](https://example.org)', '<https://example.org|*the plan*>'],
    ['`[a](https://b.c)` and\n```\n**x** <y>\n```', '`[a](https://b.c)` and\n```\n**x** &lt;y&gt;\n```'],
    [
      '<@U123> <!channel> <https://evil.example|bank>',
      '&lt;@U123&gt; &lt;!channel&gt; https://evil.example|bank',
    ],
    ['[a](javascript:alert)', 'a (javascript:alert)'],
    ['[x|y](https://a.b)', '<https://a.b|x¦y>'],
    ['2**3**4', '2**3**4'],
    ['', ''],
  ])('%j becomes %j', (text, mrkdwn) => expect(toMrkdwn(text)).toBe(mrkdwn));

  it('takes no longer than the text, whatever it consists of', () => {
    for (const piece of ['**a ', '[a](https://', '```a', '`', '** ', '[[[', '**a', '](https://x)', '<&>']) {
      const text = piece.repeat(10_000 / piece.length);
      const startMs = performance.now();
      toMrkdwn(text);
      expect(performance.now() - startMs, piece).toBeLessThan(500);
    }
  });
});

describe('what people write', () => {
  const NAMES = new Map([
    ['U1', 'Ada'],
    ['C1', 'general'],
  ]);

  it.each([
    ['<@UBOT> hello <@U1> and <@U2>', 'hello @Ada and @U2'],
    ['<@U2|bob>', '@bob'],
    ['<#C1> <#C2|random> <#C3|>', '#general #random #C3'],
    ['a &lt; b &amp;&amp; c &gt; d &amp;lt;', 'a < b && c > d &lt;'],
    ['<https://example.org>', 'https://example.org'],
    ['<https://example.org/a?b&amp;c|the plan>', '[the plan](https://example.org/a?b&c)'],
    ['<http://example.org|example.org>', 'example.org'],
    ['<mailto:a@b.c|a@b.c> <tel:+33123|+33123>', 'a@b.c +33123'],
    ['<!here> <!channel|channel> <!subteam^S1|@team> <!date^1^{date}|today>', '@here @channel @team today'],
    ['*bold* _italic_ ~gone~ `code`', '*bold* _italic_ ~gone~ `code`'],
  ])('%j becomes %j', (text, plain) => expect(plainText(text, NAMES, 'UBOT')).toBe(plain));

  it('names each mention once', () => {
    expect(mentionsIn('<@U1> <@U1> <#C1|> <#C2> <#C3|named> <@W2|x>')).toEqual({
      users: ['U1', 'W2'],
      channels: ['C1', 'C2'],
    });
  });
});
