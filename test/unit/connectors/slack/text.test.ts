import { describe, expect, it } from 'vitest';
import { blockText } from '../../../../src/connectors/slack/messages/block-text.ts';
import { toMrkdwn } from '../../../../src/connectors/slack/messages/mrkdwn.ts';
import { mentionsIn, plainText } from '../../../../src/connectors/slack/messages/plain-text.ts';
import { sharedIn } from '../../../../src/connectors/slack/messages/shared-messages.ts';

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

describe('what people pass on', () => {
  it.each<[string, object, string]>([
    [
      'a message that was forwarded',
      { is_share: true, author_name: 'Ada', text: 'see <@U1> and <https://a.b|the plan>', fallback: 'x' },
      '[forwarded from Ada]\nsee <@U1> and <https://a.b|the plan>',
    ],
    [
      'a message that is only blocks',
      {
        is_msg_unfurl: true,
        from_url: 'https://x.slack.com/archives/C1/p1',
        message_blocks: [
          {
            team: 'T1',
            message: { blocks: [{ type: 'header', text: { type: 'plain_text', text: 'Build 7' } }] },
          },
        ],
      },
      '[forwarded]\nBuild 7',
    ],
    [
      'a card',
      {
        pretext: 'New ticket',
        title: 'Broken',
        title_link: 'https://t.example/7',
        fields: [{ title: 'Priority', value: 'high', short: true }],
      },
      'New ticket\n<https://t.example/7|Broken>\nPriority: high',
    ],
    ['what has only a fallback', { fallback: 'A chart' }, 'A chart'],
    ['the preview of a link', { from_url: 'https://a.b', title: 'A', text: 'B' }, ''],
  ])('%s', (_kind, attachment, text) => expect(sharedIn([attachment]).text).toBe(text));

  it('has its files', () => {
    expect(sharedIn([{ is_share: true, files: [{ id: 'F1' }] }, { files: [{ id: 'F2' }] }]).files).toEqual([
      { id: 'F1' },
      { id: 'F2' },
    ]);
  });
});

describe('a message of blocks', () => {
  it.each<[string, object, string]>([
    [
      'rich text',
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              { type: 'text', text: 'Hello ', style: { bold: true } },
              { type: 'user', user_id: 'U1' },
              { type: 'text', text: ' in ' },
              { type: 'channel', channel_id: 'C1' },
              { type: 'emoji', name: 'wave' },
              { type: 'link', url: 'https://a.b', text: 'here' },
            ],
          },
          {
            type: 'rich_text_list',
            style: 'bullet',
            elements: [
              { type: 'rich_text_section', elements: [{ type: 'text', text: 'one' }] },
              { type: 'rich_text_section', elements: [{ type: 'text', text: 'two' }] },
            ],
          },
          { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'x = 1' }] },
        ],
      },
      'Hello <@U1> in <#C1>:wave:<https://a.b|here>\n• one\n• two\nx = 1',
    ],
    [
      'a section with fields',
      {
        type: 'section',
        text: { type: 'mrkdwn', text: '*Order*' },
        fields: [
          { type: 'mrkdwn', text: 'tea' },
          { type: 'mrkdwn', text: '2' },
        ],
      },
      '*Order*\ntea\n2',
    ],
    ['a picture', { type: 'image', image_url: 'https://a.b/c.png', alt_text: 'a cat' }, '[image: a cat]'],
    [
      'buttons',
      { type: 'actions', elements: [{ type: 'button', text: { type: 'plain_text', text: 'Yes' } }] },
      'Yes',
    ],
  ])('%s', (_kind, block, text) => expect(blockText([block])).toBe(text));

  it('nested without end is read no deeper than people do', () => {
    let block: object = { type: 'text', text: 'deep' };
    for (let depth = 0; depth < 5_000; depth++) block = { type: 'rich_text_section', elements: [block] };
    expect(blockText([block])).toBe('[rich_text_section]');
  });
});
