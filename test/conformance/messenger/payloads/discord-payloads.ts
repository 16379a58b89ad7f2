import { type PayloadKind, seen, unseen } from './payload-kind.ts';

const FILE = {
  id: '901',
  filename: 'plan.pdf',
  size: 10,
  url: 'https://cdn.test/plan.pdf',
  content_type: 'application/pdf',
};
const EMBED = { type: 'rich', title: 'Build 7', url: 'https://a.b', description: 'It is red' };
const ADA = { id: '902', username: 'ada', global_name: 'Ada', discriminator: '0', avatar: null };

const forward = (content: object) => ({
  message_reference: { type: 1, message_id: '9', channel_id: '8' },
  message_snapshots: [{ message: { type: 0, content: '', embeds: [], attachments: [], ...content } }],
});
const poll = (more: object) => ({
  poll: {
    question: { text: 'Tea?' },
    answers: [{ answer_id: 1, poll_media: { text: 'Yes' } }],
    allow_multiselect: false,
    layout_type: 1,
    ...more,
  },
});

/** Of a message (https://docs.discord.com/developers/resources/message#message-object). */
export const DISCORD_KINDS: Readonly<Record<string, PayloadKind>> = {
  text: seen({ content: 'hello' }, /^hello$/),
  markdown: seen({ content: '**hello**' }, /^\*\*hello\*\*$/),
  'mention of somebody': seen({ content: '<@902> hello', mentions: [ADA] }, /^@Ada hello$/),
  'custom emoji': seen({ content: '<:party:903>' }, /:party:/),
  'time stamp': seen({ content: '<t:1800000000:R>' }, /1800000000/),
  'link with a preview': seen(
    { content: 'https://a.b', embeds: [{ ...EMBED, type: 'link' }] },
    /^https:\/\/a\.b$/,
  ),
  gif: seen(
    { content: 'https://tenor.com/view/1', embeds: [{ type: 'gifv', url: 'https://tenor.com/view/1' }] },
    /tenor/,
  ),
  'file with words': seen({ content: 'look', attachments: [FILE] }, /^look\nfile: plan\.pdf$/),
  'file alone': seen({ attachments: [FILE] }, /^\nfile: plan\.pdf$/),
  'file of an unknown type': seen({ attachments: [{ ...FILE, content_type: undefined }] }, /file: plan\.pdf/),
  'several files': seen(
    { attachments: [FILE, { ...FILE, id: '904', filename: 'b.png', content_type: 'image/png' }] },
    /file: plan\.pdf\nfile: b\.png/,
  ),
  'image behind a spoiler': seen(
    { attachments: [{ ...FILE, filename: 'SPOILER_a.png' }] },
    /file: SPOILER_a\.png/,
  ),
  'voice message': seen(
    {
      flags: 8_192,
      attachments: [{ ...FILE, filename: 'voice-message.ogg', duration_secs: 2, waveform: 'AA' }],
    },
    /file: voice-message\.ogg/,
  ),
  clip: seen({ attachments: [{ ...FILE, filename: 'clip.mp4', flags: 1 }] }, /file: clip\.mp4/),
  sticker: seen({ sticker_items: [{ id: '1', name: 'Wave', format_type: 1 }] }, /^\[sticker: Wave\]$/),
  'sticker with words': seen(
    { content: 'hi', sticker_items: [{ id: '1', name: 'Wave' }] },
    /^hi\n\[sticker: Wave\]$/,
  ),
  'embed alone': seen({ embeds: [EMBED] }, /^\[Build 7\]\(https:\/\/a\.b\)\nIt is red$/),
  'embed with fields': seen({ embeds: [{ fields: [{ name: 'State', value: 'red' }] }] }, /^State: red$/),
  'embed with a footer and an author': seen(
    { embeds: [{ author: { name: 'CI' }, footer: { text: 'at noon' } }] },
    /^CI\nat noon$/,
  ),
  'embed that is an image': seen(
    { embeds: [{ image: { url: 'https://a.b/c.png' } }] },
    /https:\/\/a\.b\/c\.png/,
  ),
  'embed that is a video': seen(
    { embeds: [{ type: 'video', url: 'https://a.b/c.mp4' }] },
    /https:\/\/a\.b\/c\.mp4/,
  ),
  poll: seen(poll({}), /^\[poll: Tea\?\]\n- Yes$/),
  'poll of emoji': seen(
    poll({ answers: [{ answer_id: 1, poll_media: { emoji: { name: '🍵' } } }] }),
    /^\[poll: Tea\?\]\n- 🍵$/,
  ),
  forward: seen(forward({ content: 'the news' }), /^\[forwarded\]\nthe news$/),
  'forward with words': seen(
    { content: 'see', ...forward({ content: 'the news' }) },
    /^see\n\[forwarded\]\nthe news$/,
  ),
  'forwarded picture': seen(forward({ attachments: [FILE] }), /^\[forwarded\]\nfile: plan\.pdf$/),
  'forwarded embed': seen(forward({ embeds: [EMBED] }), /forwarded[\s\S]*Build 7/),
  'forwarded sticker': seen(forward({ sticker_items: [{ name: 'Wave' }] }), /forwarded[\s\S]*sticker: Wave/),
  'forward of nothing that is told': seen(forward({}), /^\[forwarded\]$/),
  'forwarded components': seen(
    forward({ components: [{ type: 17, components: [{ type: 10, content: 'In a box' }] }] }),
    /forwarded[\s\S]*In a box/,
  ),
  reply: seen(
    { type: 19, content: 'B', referenced_message: { id: '7', author: ADA, content: 'A or B?' } },
    /^B$/,
  ),
  'reply to what was deleted': seen({ type: 19, content: 'B', referenced_message: null }, /^B$/),
  'invitation to an activity': seen(
    { activity: { type: 1, party_id: 'p' }, application: { id: '5', name: 'Chess' } },
    /^\[activity: Chess\]$/,
  ),
  'silent message': seen({ content: 'psst', flags: 4_096 }, /^psst$/),
  'components alone': seen({ components: [{ type: 10, content: 'Words' }] }, /^Words$/),
  'buttons of components': seen(
    { components: [{ type: 1, components: [{ type: 2, label: 'Open', url: 'https://a.b' }] }] },
    /^\[Open\]\(https:\/\/a\.b\)$/,
  ),
  'gift without words': seen({ embeds: [{ type: 'gift' }] }, /^\[gift\]$/),
  'shared theme': seen({ shared_client_theme: { colors: ['aa'] } }, /^\[shared_client_theme\]$/),
  'message without anything': unseen({}),
  'pinned message': unseen({ type: 6 }),
  'missed call': unseen({ type: 3, call: { participants: [] } }),
  'new name': unseen({ type: 4, content: 'Plans' }),
  'who joins': unseen({ type: 7 }),
  'result of a poll': unseen({ type: 46, embeds: [{ type: 'poll_result' }] }),
  'another bot': unseen({ content: 'beep', author: { ...ADA, bot: true } }),
  webhook: unseen({ content: 'beep', webhook_id: '906' }),
};

/** Returns the message of a kind. */
export function discordMessage(
  base: { readonly id: string; readonly channel_id: string; readonly author: object },
  payload: PayloadKind['payload'],
): Readonly<Record<string, unknown>> {
  return {
    ...base,
    channel_type: 1,
    type: 0,
    content: '',
    timestamp: new Date().toISOString(),
    edited_timestamp: null,
    tts: false,
    mention_everyone: false,
    mentions: [],
    mention_roles: [],
    attachments: [],
    embeds: [],
    pinned: false,
    ...payload,
  };
}
