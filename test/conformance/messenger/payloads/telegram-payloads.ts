import { type PayloadKind, seen, unseen } from './payload-kind.ts';

const ADA = { id: 77, first_name: 'Ada' };
const FILE = { file_id: 'f', file_unique_id: 'u', file_size: 10 };
const PLACE = { latitude: 48.85, longitude: 2.35 };
const NEWS = { id: -1, type: 'channel', title: 'News' };
const MESSAGE = { message_id: 5, date: 1_800_000_000, chat: { ...ADA, type: 'private' }, from: ADA };

/** Of a message (https://core.telegram.org/bots/api#message). */
export const TELEGRAM_KINDS: Readonly<Record<string, PayloadKind>> = {
  text: seen({ text: 'hello' }, /^hello$/),
  'link behind words': seen(
    { text: 'read this', entities: [{ type: 'text_link', offset: 5, length: 4, url: 'https://a.b/?c=d' }] },
    /^read \[this\]\(https:\/\/a\.b\/\?c=d\)$/,
  ),
  photo: seen({ photo: [FILE] }, /^\nfile: photo_\d+\.jpg$/),
  'photo with a caption': seen({ photo: [FILE], caption: 'look' }, /^look\nfile: photo/),
  'link in a caption': seen(
    {
      photo: [FILE],
      caption: 'this',
      caption_entities: [{ type: 'text_link', offset: 0, length: 4, url: 'https://a.b' }],
    },
    /^\[this\]\(https:\/\/a\.b\)\nfile/,
  ),
  'photo behind a spoiler': seen({ photo: [FILE], has_media_spoiler: true }, /file: photo/),
  'photo that is too large': seen(
    { photo: [{ ...FILE, file_size: 30_000_000 }] },
    /^\[attachment too large\]$/,
  ),
  video: seen({ video: FILE }, /file: video_\d+\.mp4/),
  'video note': seen({ video_note: FILE }, /file: video_note_\d+\.mp4/),
  voice: seen({ voice: { ...FILE, duration: 2 } }, /file: voice_\d+\.ogg/),
  audio: seen({ audio: { ...FILE, title: 'Song' } }, /file: audio_\d+\.mp3/),
  document: seen({ document: { ...FILE, file_name: 'plan.pdf' } }, /^\nfile: plan\.pdf$/),
  animation: seen({ animation: FILE, document: FILE }, /^\nfile: animation_\d+\.mp4$/),
  sticker: seen(
    { sticker: { ...FILE, emoji: '👍', is_animated: false, is_video: false } },
    /^👍\nfile: .*webp$/,
  ),
  'animated sticker': seen({ sticker: { ...FILE, is_animated: true } }, /file: .*tgs$/),
  'video sticker': seen({ sticker: { ...FILE, is_video: true } }, /file: .*webm$/),
  contact: seen({ contact: { phone_number: '+33123', first_name: 'Bob' } }, /^\[contact: Bob, \+33123\]$/),
  location: seen({ location: PLACE }, /^\[location: 48\.85, 2\.35\]$/),
  'live location': seen({ location: { ...PLACE, live_period: 60 } }, /^\[location: /),
  venue: seen(
    { venue: { title: 'Cafe', address: 'Street 1', location: PLACE }, location: PLACE },
    /^\[place: Cafe, Street 1/,
  ),
  poll: seen({ poll: { question: 'Tea?', options: [{ text: 'Yes' }] } }, /^\[poll: Tea\?\]\n- Yes$/),
  quiz: seen({ poll: { question: 'Tea?', type: 'quiz', options: [{ text: 'Yes' }] } }, /^\[poll: Tea\?\]/),
  dice: seen({ dice: { emoji: '🎲', value: 4 } }, /^\[🎲 4\]$/),
  dart: seen({ dice: { emoji: '🎯', value: 6 } }, /^\[🎯 6\]$/),
  game: seen({ game: { title: 'Chess' } }, /^\[game: Chess\]$/),
  checklist: seen(
    { checklist: { title: 'Trip', tasks: [{ text: 'Pack', completion_date: 1 }, { text: 'Go' }] } },
    /^\[checklist: Trip\]\n\[x\] Pack\n\[ \] Go$/,
  ),
  story: seen({ story: { chat: { ...ADA, type: 'private' }, id: 1 } }, /^\[story of Ada\]$/),
  'paid media': seen({ paid_media: { star_count: 5, paid_media: [{}] } }, /^\[paid media: 1 for 5 stars\]$/),
  'answer of a web app': seen(
    { web_app_data: { data: '{"size":"XL"}', button_text: 'Order' } },
    /^\[answer of Order: \{"size":"XL"\}\]$/,
  ),
  'shared people': seen(
    { users_shared: { request_id: 1, users: [{ user_id: 8, first_name: 'Bob' }] } },
    /^\[shared people: Bob\]$/,
  ),
  'shared chat': seen(
    { chat_shared: { request_id: 1, chat_id: -5, title: 'Plans' } },
    /^\[shared chat: Plans\]$/,
  ),
  invoice: seen({ invoice: { title: 'Book' } }, /^\[invoice: Book\]$/),
  payment: seen(
    { successful_payment: { currency: 'EUR', total_amount: 500, invoice_payload: 'book' } },
    /^\[paid: 500 EUR, book\]$/,
  ),
  gift: seen({ gift: { gift: {} } }, /^\[gift\]$/),
  'rich message': seen(
    {
      rich_message: {
        blocks: [
          { type: 'heading', size: 1, text: 'Plan' },
          {
            type: 'paragraph',
            text: ['see ', { type: 'bold', text: { type: 'url', text: 'this', url: 'https://a.b/c_d' } }],
          },
          {
            type: 'list',
            items: [{ label: '1.', blocks: [{ type: 'paragraph', text: 'tea' }], has_checkbox: true }],
          },
          { type: 'table', cells: [[{ text: 'a' }, { text: { type: 'code', text: 'b' } }]] },
          { type: 'details', summary: 'more', blocks: [{ type: 'pre', text: 'x = 1', language: 'py' }] },
          { type: 'photo', photo: [FILE], caption: { text: 'a rose' } },
          { type: 'hologram', text: 'of the future' },
        ],
      },
    },
    /^Plan\nsee \[this\]\(https:\/\/a\.b\/c_d\)\n\[ \] tea\na \| `b`\nmore\n```py\nx = 1\n```\na rose\nof the future\nfile: photo/,
  ),
  'tasks that were done': seen(
    { checklist_tasks_done: { marked_as_done_task_ids: [1, 2] } },
    /^\[checklist: 2 done, 0 not done any more\]$/,
  ),
  'tasks that were added': seen(
    { checklist_tasks_added: { tasks: [{ id: 3, text: 'Pay' }] } },
    /^\[checklist: added\]\n\[ \] Pay$/,
  ),
  giveaway: seen({ giveaway: { winner_count: 1 } }, /^\[giveaway\]$/),
  'unique gift': seen({ unique_gift: { gift: {} } }, /^\[gift\]$/),
  'live photo': seen({ live_photo: FILE, photo: [FILE] }, /^\nfile: photo_\d+\.jpg$/),
  'forward of a person': seen(
    { text: 'hello', forward_origin: { type: 'user', sender_user: ADA } },
    /^\[forwarded from Ada\]\nhello$/,
  ),
  'forward of somebody hidden': seen(
    { text: 'hello', forward_origin: { type: 'hidden_user', sender_user_name: 'Eve' } },
    /^\[forwarded from Eve\]\nhello$/,
  ),
  'forward of a channel': seen(
    { photo: [FILE], forward_origin: { type: 'channel', chat: NEWS } },
    /^\[forwarded from News\]\nfile: photo/,
  ),
  reply: seen({ text: 'B', reply_to_message: { ...MESSAGE, text: 'A or B?' } }, /^B$/),
  'reply to picked words': seen(
    { text: 'why?', quote: { text: 'broke' }, reply_to_message: MESSAGE },
    /^why\?$/,
  ),
  'reply to another chat': seen(
    { text: 'look', external_reply: { origin: { type: 'channel', chat: NEWS } } },
    /^look$/,
  ),
  'reply to a story': seen({ text: 'nice', reply_to_story: { chat: NEWS, id: 1 } }, /^nice$/),
  'by way of a bot': seen(
    { text: 'a result', via_bot: { id: 9, first_name: 'gif', is_bot: true } },
    /^a result$/,
  ),
  'pinned message': unseen({ pinned_message: MESSAGE }),
  'timer of deletion': unseen({ message_auto_delete_timer_changed: { message_auto_delete_time: 60 } }),
  'new topic': unseen({ forum_topic_created: { name: 'Plans', icon_color: 1 } }),
  'new background': unseen({ chat_background_set: {} }),
  'write access': unseen({ write_access_allowed: {} }),
  'kind of the future': unseen({ hologram: {} }),
};
