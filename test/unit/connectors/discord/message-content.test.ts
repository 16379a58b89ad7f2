import { describe, expect, it } from 'vitest';
import { answeredIn, filesOf, textOf } from '../../../../src/connectors/discord/messages/message-content.ts';
import { Message } from '../../../../src/connectors/discord/objects.ts';

const BOT = '900';
const ADA = { id: '77', username: 'ada', global_name: 'Ada' };
const PICTURE = {
  id: '31',
  filename: 'plan.png',
  size: 12,
  url: 'https://cdn.discordapp.com/attachments/1/31/plan.png?ex=1',
  content_type: 'image/png',
};

function message(parts: object): Message {
  return Message.parse({
    id: '5',
    channel_id: '6',
    author: ADA,
    content: '',
    timestamp: '2026-11-28T12:00:00.000Z',
    type: 0,
    ...parts,
  });
}

describe('what a person sends is not lost', () => {
  it.each<[string, object, string]>([
    ['a forward', { message_snapshots: [{ message: { content: 'hello' } }] }, '[forwarded]\nhello'],
    [
      'a forward that is one embed',
      {
        message_snapshots: [
          {
            message: {
              content: '',
              embeds: [
                {
                  type: 'rich',
                  title: 'Build 7',
                  url: 'https://ci.example/7',
                  description: 'failed',
                  fields: [{ name: 'stage', value: 'test' }],
                },
              ],
            },
          },
        ],
      },
      '[forwarded]\n[Build 7](https://ci.example/7)\nfailed\nstage: test',
    ],
    [
      'a forward with a comment',
      { content: 'see this', message_snapshots: [{ message: { content: 'hello' } }] },
      'see this\n[forwarded]\nhello',
    ],
    [
      'a poll',
      {
        poll: {
          question: { text: 'Tea?' },
          answers: [{ poll_media: { text: 'Yes' } }, { poll_media: { text: 'No' } }],
        },
      },
      '[poll: Tea?]\n- Yes\n- No',
    ],
    ['a sticker', { sticker_items: [{ id: '1', name: 'Wave', format_type: 1 }] }, '[sticker: Wave]'],
    [
      'a preview beside words',
      { content: 'https://a.b', embeds: [{ type: 'link', title: 'A' }] },
      'https://a.b',
    ],
  ])('%s', (_kind, parts, text) => expect(textOf(message(parts), BOT)).toBe(text));

  it('what a message answers, with its embed and file', () => {
    const referenced_message = {
      ...{ id: '4', author: ADA, content: '', attachments: [PICTURE] },
      embeds: [{ description: 'it broke' }],
    };
    const answer = message({ content: 'why?', referenced_message });
    expect(textOf(answer, BOT)).toBe('why?');
    expect(answeredIn(answer)).toEqual({
      platformMessageId: '4',
      author: 'Ada',
      text: 'it broke',
      files: [{ name: 'plan.png', mime: 'image/png', sizeBytes: 12, ref: '6/4/31' }],
    });
  });

  it('a voice note that is passed on is one', () => {
    const spoken = { content: '', flags: 8_192, attachments: [PICTURE] };
    const forward = message({ attachments: [PICTURE], message_snapshots: [{ message: spoken }] });
    expect(filesOf(forward).map(({ isVoiceNote }) => isVoiceNote)).toEqual([undefined, true]);
  });

  it('files of a forward', () => {
    const forward = message({ message_snapshots: [{ message: { content: '', attachments: [PICTURE] } }] });
    expect(filesOf(forward)).toEqual([{ name: 'plan.png', mime: 'image/png', sizeBytes: 12, ref: '6/5/31' }]);
  });
});
