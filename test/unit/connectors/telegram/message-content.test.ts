import { describe, expect, it, test } from 'vitest';
import { Update } from '../../../../src/connectors/telegram/bot-api-types.ts';
import { readingOf } from '../../../../src/connectors/telegram/update-reading.ts';

const ADA = { id: 77, first_name: 'Ada', last_name: 'Lovelace' };
const BOT = { id: 1, first_name: 'Helper', is_bot: true };
const OWN = { id: '1', username: 'helper_bot' };
const MESSAGE = { message_id: 5, date: 1_800_000_000, chat: { ...ADA, type: 'private' }, from: ADA };

function read(message: object) {
  return readingOf(Update.parse({ update_id: 9, message: { ...MESSAGE, ...message } }), OWN);
}

function textOf(message: object): string | null {
  const reading = read(message);
  return reading.kind === 'message' ? reading.text : null;
}

it.each<[string, object, object]>([
  [
    'a question',
    { text: 'B', reply_to_message: { ...MESSAGE, from: BOT, text: 'Option A\nor B?' } },
    { platformMessageId: '5', author: 'Helper', text: 'Option A\nor B?' },
  ],
  [
    'picked words',
    {
      text: 'B',
      reply_to_message: { ...MESSAGE, from: BOT, text: 'a long text' },
      quote: { text: 'long' },
    },
    { platformMessageId: '5', author: 'Helper', text: 'long' },
  ],
  [
    'a picture',
    { text: 'B', reply_to_message: { ...MESSAGE, photo: [{ file_id: 'p' }] } },
    { platformMessageId: '5', author: 'Ada Lovelace', text: '', files: [{ name: 'photo_5.jpg', ref: 'p' }] },
  ],
  [
    'a message of another chat',
    {
      text: 'B',
      external_reply: { origin: { type: 'channel', chat: { id: -5, type: 'channel', title: 'News' } } },
      quote: { text: 'it happened' },
    },
    { platformMessageId: null, author: 'News', text: 'it happened' },
  ],
  [
    'a poll of another chat',
    { text: 'B', external_reply: { origin: { type: 'user', sender_user: ADA }, poll: { question: 'Tea?' } } },
    { platformMessageId: null, author: 'Ada Lovelace', text: '[poll: Tea?]' },
  ],
  [
    'a story',
    { text: 'B', reply_to_story: { chat: { id: -5, type: 'channel', title: 'News' }, id: 3 } },
    { platformMessageId: null, author: 'News', text: '[story]' },
  ],
])('a message tells that it answers %s', (_what, message, replyTo) =>
  expect(read(message)).toMatchObject({ text: 'B', replyTo }),
);

it('what is written in a topic does not answer the notice that began it', () => {
  const reply_to_message = { ...MESSAGE, message_id: 3, forum_topic_created: { name: 'Plans' } };
  const reading = read({ text: 'B', message_thread_id: 3, is_topic_message: true, reply_to_message });
  expect(reading).toMatchObject({ text: 'B', thread: '3', replyTo: undefined });
});

describe('buttons and reactions', () => {
  const button = { text: 'Yes', callback_data: '=Yes' };
  const query = { id: 'q1', from: ADA, data: '=Yes', message: { message_id: 7, chat: MESSAGE.chat } };
  const update = (content: object) => readingOf(Update.parse({ update_id: 9, ...content }), OWN);

  it.each<[string, object]>([
    [
      'the keyboard',
      { ...query, message: { ...query.message, reply_markup: { inline_keyboard: [[button]] } } },
    ],
    ['what the button brings, of an old message', query],
  ])('a press has the label of %s', (_where, callback_query) =>
    expect(update({ callback_query })).toMatchObject({ kind: 'press', label: 'Yes', messageId: '7' }),
  );

  it('what changes among the reactions is told', () => {
    const emoji = (all: string) => [...all].map((each) => ({ type: 'emoji', emoji: each }));
    const message_reaction = {
      chat: MESSAGE.chat,
      message_id: 7,
      user: ADA,
      old_reaction: emoji('👍🔥'),
      new_reaction: emoji('🔥🎉'),
    };
    expect(update({ message_reaction })).toMatchObject({
      kind: 'reaction',
      messageId: '7',
      changes: [
        { emoji: '👍', isAdded: false },
        { emoji: '🎉', isAdded: true },
      ],
    });
  });
});

describe('what a person sends is not lost', () => {
  it.each<[string, object, string]>([
    [
      'an address behind words',
      {
        text: 'read 😀 this and that',
        entities: [
          { type: 'bold', offset: 0, length: 4 },
          { type: 'text_link', offset: 8, length: 4, url: 'https://example.org/a?b=c' },
        ],
      },
      'read 😀 [this](https://example.org/a?b=c) and that',
    ],
    [
      'an address in a caption',
      {
        photo: [{ file_id: 'p' }],
        caption: 'plan',
        caption_entities: [{ type: 'text_link', offset: 0, length: 4, url: 'https://a.b' }],
      },
      '[plan](https://a.b)',
    ],
    [
      'what was forwarded, from somebody',
      { text: 'hello', forward_origin: { type: 'user', sender_user: { id: 3, first_name: 'Bob' } } },
      '[forwarded from Bob]\nhello',
    ],
    [
      'what was forwarded, from somebody who hides',
      { text: 'hello', forward_origin: { type: 'hidden_user', sender_user_name: 'Eve' } },
      '[forwarded from Eve]\nhello',
    ],
    [
      'a checklist',
      {
        checklist: {
          title: 'To do',
          tasks: [
            { id: 1, text: 'tea', completion_date: 5 },
            { id: 2, text: 'cake' },
          ],
        },
      },
      '[checklist: To do]\n[x] tea\n[ ] cake',
    ],
    [
      'a poll',
      { poll: { id: '1', question: 'Tea?', options: [{ text: 'Yes' }, { text: 'No' }] } },
      '[poll: Tea?]\n- Yes\n- No',
    ],
    ['a story', { story: { id: 1, chat: { ...ADA, type: 'private' } } }, '[story of Ada Lovelace]'],
    [
      'paid media',
      { paid_media: { star_count: 10, paid_media: [{ type: 'preview' }] } },
      '[paid media: 1 for 10 stars]',
    ],
    ['a game', { game: { title: 'Chess', description: '', photo: [] } }, '[game: Chess]'],
    [
      'people',
      { users_shared: { request_id: 1, users: [{ user_id: 3, first_name: 'Bob' }, { user_id: 4 }] } },
      '[shared people: Bob, 4]',
    ],
    ['a chat', { chat_shared: { request_id: 1, chat_id: -100, title: 'Team' } }, '[shared chat: Team]'],
    [
      'an app’s answer',
      { web_app_data: { data: '{"size":2}', button_text: 'Order' } },
      '[answer of Order: {"size":2}]',
    ],
    ['an invoice', { invoice: { title: 'Tea' } }, '[invoice: Tea]'],
    [
      'a payment',
      { successful_payment: { currency: 'EUR', total_amount: 250, invoice_payload: 'tea-1' } },
      '[paid: 250 EUR, tea-1]',
    ],
  ])('%s', (_kind, message, text) => expect(textOf(message)).toBe(text));

  it.each<[string, object[]]>([
    ['beyond the text', [{ type: 'text_link', offset: 90, length: 4, url: 'https://a.b' }]],
    [
      'over each other',
      [
        { type: 'text_link', offset: 0, length: 5, url: 'https://a.b' },
        { type: 'text_link', offset: 2, length: 3, url: 'https://c.d' },
      ],
    ],
    ['with a negative length', [{ type: 'text_link', offset: 0, length: -1, url: 'https://a.b' }]],
  ])('a text whose addresses are %s keeps its words', (_what, entities) => {
    expect(textOf({ text: 'hello', entities })).toContain('hello');
  });
});

test('a message in a topic of a private chat belongs to a thread', () => {
  expect(read({ text: 'x', message_thread_id: 11, is_topic_message: true })).toMatchObject({ thread: '11' });
  // Replies have a thread, too, outside of topics.
  expect(read({ text: 'x', message_thread_id: 11 })).toMatchObject({ thread: null });
});
