import { expect, it } from 'vitest';
import { Update } from '../../../../src/connectors/telegram/bot-api-types.ts';
import { readingOf } from '../../../../src/connectors/telegram/update-reading.ts';

const ADA = { id: 77, first_name: 'Ada' };
const CHAT = { ...ADA, type: 'private' };
const MESSAGE = { message_id: 5, date: 1_800_000_000, chat: CHAT, from: ADA };
const FILE = { file_id: 'f', file_unique_id: 'u', file_size: 10 };
const PLACE = { latitude: 48.85, longitude: 2.35 };

/** What people send, by kind (https://core.telegram.org/bots/api#message). */
const SHOWN: Readonly<Record<string, object>> = {
  text: { text: 'hello' },
  'text with entities': {
    text: 'hello',
    entities: [{ type: 'text_link', offset: 0, length: 5, url: 'https://a.b' }],
  },
  photo: { photo: [FILE] },
  'photo with caption': { photo: [FILE], caption: 'look' },
  'part of an album': { photo: [FILE], media_group_id: '1' },
  'photo behind a spoiler': { photo: [FILE], has_media_spoiler: true },
  video: { video: FILE },
  'video note': { video_note: FILE },
  voice: { voice: FILE },
  audio: { audio: FILE },
  document: { document: FILE },
  animation: { animation: FILE, document: FILE },
  sticker: { sticker: { ...FILE, emoji: '👍', is_animated: false, is_video: false } },
  'animated sticker': { sticker: { ...FILE, is_animated: true } },
  'video sticker': { sticker: { ...FILE, is_video: true } },
  contact: { contact: { phone_number: '+33123', first_name: 'Bob' } },
  location: { location: PLACE },
  'live location': { location: { ...PLACE, live_period: 60 } },
  venue: { venue: { title: 'Cafe', address: 'Street 1', location: PLACE }, location: PLACE },
  poll: { poll: { question: 'Tea?', options: [{ text: 'Yes' }] } },
  quiz: { poll: { question: 'Tea?', type: 'quiz', options: [{ text: 'Yes' }] } },
  dice: { dice: { emoji: '🎲', value: 4 } },
  dart: { dice: { emoji: '🎯', value: 6 } },
  game: { game: { title: 'Chess' } },
  checklist: { checklist: { title: 'Trip', tasks: [{ text: 'Pack' }] } },
  story: { story: { chat: { ...ADA, type: 'private' }, id: 1 } },
  'paid media': { paid_media: { star_count: 5, paid_media: [{}] } },
  'answer of a web app': { web_app_data: { data: '{"size":"XL"}', button_text: 'Order' } },
  'shared people': { users_shared: { request_id: 1, users: [{ user_id: 8, first_name: 'Bob' }] } },
  'shared chat': { chat_shared: { request_id: 1, chat_id: -5, title: 'Plans' } },
  invoice: { invoice: { title: 'Book' } },
  payment: { successful_payment: { currency: 'EUR', total_amount: 500, invoice_payload: 'book' } },
  gift: { gift: { gift: {} } },
  'forward of a person': { text: 'hello', forward_origin: { type: 'user', sender_user: ADA } },
  'forward of a channel': {
    photo: [FILE],
    forward_origin: { type: 'channel', chat: { id: -1, type: 'channel', title: 'News' } },
  },
  reply: { text: 'B', reply_to_message: { ...MESSAGE, text: 'A or B?' } },
  'reply with picked words': { text: 'why?', quote: { text: 'broke' }, reply_to_message: MESSAGE },
  'reply to another chat': {
    text: 'look',
    external_reply: { origin: { type: 'channel', chat: { id: -1, type: 'channel', title: 'News' } } },
  },
  'in a topic': { text: 'hello', message_thread_id: 11, is_topic_message: true },
  'by way of a bot': { text: 'a result', via_bot: { id: 9, first_name: 'gif', is_bot: true } },
};

/** Notices of Telegram, which say nothing of a person: they are counted as ignored. */
const IGNORED: Readonly<Record<string, object>> = {
  'pinned message': { pinned_message: MESSAGE },
  'timer of deletion': { message_auto_delete_timer_changed: { message_auto_delete_time: 60 } },
  'new topic': { forum_topic_created: { name: 'Plans', icon_color: 1 } },
  'new background': { chat_background_set: {} },
  'write access': { write_access_allowed: {} },
};

const read = (message: object) =>
  readingOf(Update.parse({ update_id: 9, message: { ...MESSAGE, ...message } }));

it.each(Object.entries(SHOWN))('%s: agents see it', (_kind, message) => {
  const reading = read(message);
  expect(reading.kind).toBe('message');
  if (reading.kind === 'message') expect(reading.text.length + reading.files.length).toBeGreaterThan(0);
});

it.each(Object.entries(IGNORED))('%s: it is counted as ignored', (_kind, message) =>
  expect(read(message)).toEqual({ kind: 'nothing', updateId: 9 }),
);

it('these are forty kinds at least', () => expect(Object.keys(SHOWN).length).toBeGreaterThanOrEqual(40));
