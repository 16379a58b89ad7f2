import { newTs } from '../../../fakes/slack/slack-ids.ts';
import { type PayloadKind, seen, unseen } from './payload-kind.ts';

const FILE = { id: 'F0AAAAAA1', name: 'plan.pdf', mimetype: 'application/pdf', size: 10, mode: 'hosted' };
const WORDS = { type: 'text', text: 'five words of rich text' };
const TEXT = { type: 'plain_text', text: 'Build 7' };

const blocks = (...all: object[]) => ({ text: '', blocks: all });
const rich = (...elements: object[]) => blocks({ type: 'rich_text', elements });
const section = (...elements: object[]) => rich({ type: 'rich_text_section', elements });
const shared = (more: object) => ({ attachments: [{ id: 1, ...more }] });
const file = (more: object) => ({ subtype: 'file_share', text: '', files: [{ ...FILE, ...more }] });

/** Of a message event (https://docs.slack.dev/reference/events/message). */
export const SLACK_KINDS: Readonly<Record<string, PayloadKind>> = {
  text: seen({ text: 'hello' }, /^hello$/),
  'escaped text': seen({ text: 'a &lt; b &amp;&amp; c' }, /^a < b && c$/),
  'link with words': seen(
    { text: '<https://a.b/c?d=e|the plan>' },
    /^\[the plan\]\(https:\/\/a\.b\/c\?d=e\)$/,
  ),
  broadcast: seen({ text: '<!here> lunch' }, /^@here lunch$/),
  emoji: seen({ text: ':tada:' }, /^:tada:$/),
  'me message': seen({ subtype: 'me_message', text: 'waves' }, /waves/),
  'file with words': seen({ ...file({}), text: 'look' }, /^look\nfile: plan\.pdf$/),
  'file alone': seen(file({}), /^\nfile: plan\.pdf$/),
  snippet: seen(file({ name: 'a.py', mode: 'snippet' }), /file: a\.py/),
  'voice clip': seen(file({ name: 'audio_message.m4a', subtype: 'slack_audio' }), /audio_message\.m4a/),
  'video clip': seen(file({ name: 'clip.mp4', subtype: 'slack_video' }), /clip\.mp4/),
  canvas: seen(file({ name: 'Notes', mode: 'quip' }), /file: Notes/),
  email: seen(file({ name: 'Re: plan', mode: 'email' }), /file: Re.*plan/),
  'file of another service': seen(
    file({ name: 'Sheet', mode: 'external', is_external: true }),
    /file: Sheet/,
  ),
  'deleted file': seen({ ...file({ name: null, mode: 'tombstone' }) }, /^\[file that is gone\]$/),
  'hidden file': seen(file({ mode: 'hidden_by_limit' }), /^\[file that is gone: plan\.pdf\]$/),
  'forwarded message': seen(
    { text: '', ...shared({ is_share: true, author_name: 'Ada', text: 'the news' }) },
    /^\[forwarded from Ada\]\nthe news$/,
  ),
  'forward with a comment': seen(
    { text: 'see this', ...shared({ is_share: true, author_name: 'Ada', text: 'the news' }) },
    /^see this\n\[forwarded from Ada\]\nthe news$/,
  ),
  'forwarded file': seen(
    { text: '', ...shared({ is_share: true, author_name: 'Ada', files: [FILE] }) },
    /forwarded from Ada[\s\S]*file: plan\.pdf/,
  ),
  'forward of blocks': seen(
    {
      text: '',
      ...shared({
        is_msg_unfurl: true,
        from_url: 'https://a.slack.com/archives/C1/p1',
        message_blocks: [{ team: 'T1', message: { blocks: [{ type: 'header', text: TEXT }] } }],
      }),
    },
    /^\[forwarded\]\nBuild 7$/,
  ),
  'preview of a link': seen(
    { text: 'https://a.b', ...shared({ from_url: 'https://a.b', title: 'A page', text: 'long' }) },
    /^https:\/\/a\.b$/,
  ),
  'card with fields': seen(
    {
      text: '',
      ...shared({ title: 'Job', title_link: 'https://a.b', fields: [{ title: 'State', value: 'red' }] }),
    },
    /^\[Job\]\(https:\/\/a\.b\)\nState: red$/,
  ),
  'card with a fallback': seen({ text: '', ...shared({ fallback: 'Job failed' }) }, /^Job failed$/),
  'card that is an image': seen(
    { text: '', ...shared({ image_url: 'https://a.b/c.png' }) },
    /https:\/\/a\.b\/c\.png/,
  ),
  'rich text': seen(section(WORDS), /^five words of rich text$/),
  'link in rich text': seen(
    section({ type: 'link', url: 'https://a.b', text: 'plan' }),
    /^\[plan\]\(https:\/\/a\.b\)$/,
  ),
  'emoji in rich text': seen(section({ type: 'emoji', name: 'wave' }), /^:wave:$/),
  'date in rich text': seen(section({ type: 'date', timestamp: 1, fallback: 'May 1' }), /^May 1$/),
  'color in rich text': seen(section({ type: 'color', value: '#F405B3' }), /#F405B3/),
  list: seen(
    rich({
      type: 'rich_text_list',
      style: 'bullet',
      elements: [{ type: 'rich_text_section', elements: [WORDS] }],
    }),
    /^• five words/,
  ),
  quote: seen(rich({ type: 'rich_text_quote', elements: [WORDS] }), /five words/),
  code: seen(rich({ type: 'rich_text_preformatted', elements: [WORDS] }), /five words/),
  header: seen(blocks({ type: 'header', text: TEXT }), /^Build 7$/),
  section: seen(
    blocks({ type: 'section', text: { type: 'mrkdwn', text: '*red*' }, fields: [TEXT] }),
    /red\*?\nBuild 7/,
  ),
  context: seen(blocks({ type: 'context', elements: [TEXT] }), /^Build 7$/),
  'image with a title': seen(
    blocks({ type: 'image', image_url: 'https://a.b/c.png', alt_text: 'a cat', title: TEXT }),
    /Build 7[\s\S]*a cat/,
  ),
  video: seen(
    blocks({ type: 'video', title: TEXT, alt_text: 'a talk', video_url: 'https://a.b' }),
    /Build 7/,
  ),
  table: seen(
    blocks({
      type: 'table',
      rows: [
        [
          { type: 'raw_text', text: 'a' },
          { type: 'raw_text', text: 'b' },
        ],
      ],
    }),
    /^a \| b$/,
  ),
  markdown: seen(blocks({ type: 'markdown', text: '**red**' }), /red/),
  buttons: seen(blocks({ type: 'actions', elements: [{ type: 'button', text: TEXT }] }), /Build 7/),
  call: seen(
    blocks({ type: 'call', call_id: 'R1', call: { v1: { name: 'Standup', join_url: 'https://a.b' } } }),
    /call: Standup https:\/\/a\.b/,
  ),
  'block of the future': seen(blocks({ type: 'hologram' }), /^\[hologram\]$/),
  'message of another bot': unseen({ subtype: 'bot_message', user: undefined, bot_id: 'B1', text: 'beep' }),
  'new topic': unseen({ subtype: 'channel_topic', text: 'set the topic', topic: 'x' }),
  'who joins': unseen({ subtype: 'channel_join', text: 'has joined' }),
  huddle: unseen({ subtype: 'huddle_thread', text: 'A huddle happened' }),
  reminder: unseen({ subtype: 'reminder_add', text: 'set up a reminder' }),
  'message without anything': unseen({ text: '' }),
  'home of the app': unseen({ type: 'app_home_opened', tab: 'home' }),
  'shared file': unseen({ type: 'file_shared', file_id: 'F1' }),
};

/** Returns the event of a kind. */
export function slackEvent(
  where: { readonly channel: string; readonly user: string },
  payload: PayloadKind['payload'],
): Readonly<Record<string, unknown>> {
  const ts = newTs();
  return { type: 'message', ...where, channel_type: 'im', ts, event_ts: ts, ...payload };
}

/** Returns the event of a message that was edited, or deleted (null). */
export function slackChange(
  { channel, channel_type, ...message }: Readonly<Record<string, unknown>>,
  text: string | null,
): Readonly<Record<string, unknown>> {
  const ts = newTs();
  const event = { type: 'message', channel, channel_type, ts, event_ts: ts, previous_message: message };
  return text === null
    ? { ...event, subtype: 'message_deleted', deleted_ts: message.ts }
    : {
        ...event,
        subtype: 'message_changed',
        message: { ...message, text, edited: { user: message.user, ts } },
      };
}
