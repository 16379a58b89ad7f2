import { describe, expect, it, test } from 'vitest';
import { Update } from '../../../../src/connectors/telegram/bot-api-types.ts';
import { readingOf } from '../../../../src/connectors/telegram/update-reading.ts';

const ADA = { id: 77, first_name: 'Ada', last_name: 'Lovelace' };
const BOT = { id: 1, first_name: 'Helper', is_bot: true };
const MESSAGE = { message_id: 5, date: 1_800_000_000, chat: { ...ADA, type: 'private' }, from: ADA };

function read(message: object) {
  return readingOf(Update.parse({ update_id: 9, message: { ...MESSAGE, ...message } }));
}

function textOf(message: object): string | null {
  const reading = read(message);
  return reading.kind === 'message' ? reading.text : null;
}

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
      'an answer to a question',
      { text: 'B', reply_to_message: { ...MESSAGE, from: BOT, text: 'Option A\nor B?' } },
      '> Helper: Option A or B?\nB',
    ],
    [
      'an answer to picked words',
      {
        text: 'why?',
        reply_to_message: { ...MESSAGE, from: BOT, text: 'a long text' },
        quote: { text: 'long' },
      },
      '> Helper: long\nwhy?',
    ],
    [
      'an answer to a picture',
      { text: 'nice', reply_to_message: { ...MESSAGE, photo: [{ file_id: 'p' }] } },
      '> Ada Lovelace: [photo_5.jpg]\nnice',
    ],
    [
      'an answer to a message of another chat',
      {
        text: 'look',
        external_reply: { origin: { type: 'channel', chat: { id: -5, type: 'channel', title: 'News' } } },
        quote: { text: 'it happened' },
      },
      '> News: it happened\nlook',
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
