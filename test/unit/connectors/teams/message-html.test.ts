import { describe, expect, it } from 'vitest';
import type { Activity } from '../../../../src/connectors/teams/activities/activity.ts';
import { fullText, quotedIn } from '../../../../src/connectors/teams/messages/text.ts';

const REPLY =
  '<blockquote itemscope="" itemtype="http://schema.skype.com/Reply" itemid="1700000000000">\r\n' +
  '<strong itemprop="mri" itemid="29:x">Ada</strong><span itemprop="time" itemid="17"></span>\r\n' +
  '<p itemprop="preview">Option A<br>or B?</p>\r\n</blockquote>\r\n<p>B &amp; C</p>';

function activity(parts: object, html?: string): Activity {
  const attachments = html === undefined ? [] : [{ contentType: 'text/html', content: html }];
  return { recipient: { id: '28:bot' }, attachments, ...parts } as unknown as Activity;
}

const textOf = (parts: object, html?: string) => fullText(activity(parts, html));

const QUOTED = { platformMessageId: '1700000000000', author: 'Ada', text: 'Option A\nor B?' };

it.each<[string, object, string | undefined, string, object]>([
  ['a quoted message', { text: 'B & C' }, REPLY, 'B & C', QUOTED],
  ['a quoted message, with the answer in HTML only', {}, REPLY, 'B & C', QUOTED],
  [
    'a quoted message that an entity tells',
    {
      text: '<quoted messageId="17"/> why?',
      entities: [
        { type: 'quotedReply', quotedReply: { messageId: '17', senderName: 'Ada', preview: 'it broke' } },
      ],
    },
    undefined,
    'why?',
    { platformMessageId: '17', author: 'Ada', text: 'it broke' },
  ],
])('%s is what the message answers', (_kind, parts, html, text, answered) => {
  expect(textOf(parts, html)).toBe(text);
  expect(quotedIn(activity(parts, html))).toEqual(answered);
});

describe('what a person sends is not lost', () => {
  it.each<[string, object, string | undefined, string]>([
    ['two quoted messages', { text: 'both' }, REPLY + REPLY, '[quoted from Ada]\nOption A\nor B?\nboth'],
    [
      'a forwarded message without words',
      {},
      '<blockquote itemtype="http://schema.skype.com/Forward"><strong itemprop="mri">Bob</strong><p itemprop="copy">The plan<br>is ready</p></blockquote>',
      '[forwarded from Bob]\nThe plan\nis ready',
    ],
    [
      'a message in HTML only',
      {},
      '<div><p>one</p><ul><li>two</li></ul><style>p{}</style></div>',
      'one\ntwo',
    ],
    ['a message in both forms, once', { text: 'hello' }, '<p>hello</p>', 'hello'],
  ])('%s', (_kind, parts, html, text) => expect(textOf(parts, html)).toBe(text));

  it('reads HTML that never ends, or nests without end', () => {
    const open = activity({ text: 'x' }, '<blockquote itemtype="http://schema.skype.com/Reply"><p>open');
    expect([fullText(open), quotedIn(open)?.text]).toEqual(['x', 'open']);
    const before = process.threadCpuUsage();
    textOf({}, '<b>'.repeat(40_000));
    textOf({}, '<blockquote itemtype="http://schema.skype.com/Reply">'.repeat(4_000));
    expect(process.threadCpuUsage(before).user).toBeLessThan(2e6);
  });
});
