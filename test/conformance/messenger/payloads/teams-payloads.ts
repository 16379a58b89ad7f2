import { type PayloadKind, seen, unseen } from './payload-kind.ts';

const html = (content: string) => ({ contentType: 'text/html', content });
const said = (text: string, content: string) => ({ text, attachments: [html(content)] });
const card = (kind: string, content: object) => ({
  attachments: [{ contentType: `application/vnd.microsoft.card.${kind}`, content }],
});
const adaptive = (...body: object[]) => card('adaptive', { type: 'AdaptiveCard', version: '1.5', body });
const passedOn = (kind: 'Reply' | 'Forward', words: string) =>
  `<blockquote itemscope="" itemtype="http://schema.skype.com/${kind}" itemid="17"><strong itemprop="mri">Ada</strong><p itemprop="preview">${words}</p></blockquote>`;
const FILE = {
  contentType: 'application/vnd.microsoft.teams.file.download.info',
  contentUrl: 'https://contoso.sharepoint.com/plan.pdf',
  name: 'plan.pdf',
  content: { downloadUrl: 'https://contoso.sharepoint.com/download', fileType: 'pdf' },
};
const LINK = 'see <a href="https://a.b/c?d=e" title="x">the plan</a> today';

/** Of an activity (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/conversation-messages). Files are off. */
export const TEAMS_KINDS: Readonly<Record<string, PayloadKind>> = {
  text: seen({ text: 'hello' }, /^hello$/),
  'text in both forms': seen(said('hello', '<p>hello</p>'), /^hello$/),
  'text in HTML only': seen({ attachments: [html('<p>one</p><ul><li>two</li></ul>')] }, /^one\ntwo$/),
  'link with words': seen(
    said('see the plan today', `<p>${LINK}</p>`),
    /^see \[the plan\]\(https:\/\/a\.b\/c\?d=e\) today$/,
  ),
  'link in HTML only': seen(
    { attachments: [html(LINK)] },
    /^see \[the plan\]\(https:\/\/a\.b\/c\?d=e\) today$/,
  ),
  'bare address': seen(said('https://a.b', '<a href="https://a.b">https://a.b</a>'), /^https:\/\/a\.b$/),
  emoji: seen({ attachments: [html('<p><emoji id="smile" alt="🙂" title="Smile"></emoji></p>')] }, /^🙂$/),
  'emoji as a picture': seen(
    { attachments: [html('<img itemtype="http://schema.skype.com/Emoji" alt="🎉" src="https://a.b/1">')] },
    /^🎉$/,
  ),
  code: seen(said('x = 1', '<codeblock class="Python"><code>x = 1</code></codeblock>'), /^x = 1$/),
  table: seen({ attachments: [html('<table><tr><td>a</td></tr><tr><td>b</td></tr></table>')] }, /^a\nb$/),
  'mention of somebody': seen(
    {
      text: '<at>Ada</at> hello',
      entities: [{ type: 'mention', text: '<at>Ada</at>', mentioned: { id: '29:ada', name: 'Ada L' } }],
    },
    /^@Ada L hello$/,
  ),
  'two mentions with the same mark': seen(
    {
      text: '<at>Ada</at> and <at>Ada</at>',
      entities: ['Ada One', 'Ada Two'].map((name) => ({
        type: 'mention',
        text: '<at>Ada</at>',
        mentioned: { id: `29:${name}`, name },
      })),
    },
    /^@Ada One and @Ada Two$/,
  ),
  'mention without a mark of its own': seen(
    {
      text: '<at>Test ($~&amp;)</at> hi',
      entities: [{ type: 'mention', mentioned: { id: '29:test', name: 'Test ($~&)' } }],
    },
    /^@?Test \(\$~&\) hi$/,
  ),
  'what looks like a tag': seen({ text: 'text <data>', textFormat: 'plain' }, /^text <data>$/),
  reply: seen(said('B', `${passedOn('Reply', 'A or B?')}<p>B</p>`), /^B$/),
  'two replies at once': seen(
    said('both', `${passedOn('Reply', 'one')}${passedOn('Reply', 'two')}<p>both</p>`),
    /quoted from Ada[\s\S]*two\nboth$/,
  ),
  'reply by an entity': seen(
    {
      text: '<quoted messageId="17"/> why?',
      entities: [{ type: 'quotedReply', quotedReply: { messageId: '17', senderName: 'Ada', preview: 'it' } }],
    },
    /^why\?$/,
  ),
  forward: seen(
    { attachments: [html(passedOn('Forward', 'the news'))] },
    /^\[forwarded from Ada\]\nthe news$/,
  ),
  'forward with words': seen(
    said('see', `<p>see</p>${passedOn('Forward', 'the news')}`),
    /^\[forwarded from Ada\]\nthe news\nsee$/,
  ),
  file: seen({ attachments: [FILE] }, /attachment|file/i),
  'file with words': seen({ text: 'look', attachments: [FILE] }, /^look\n\[.*\]$/),
  'pasted picture': seen(
    { attachments: [{ contentType: 'image/*', contentUrl: 'https://smba.trafficmanager.net/1' }] },
    /^\[.*\]$/,
  ),
  'voice message': seen(
    { attachments: [{ contentType: 'audio/ogg', contentUrl: 'https://smba.trafficmanager.net/2' }] },
    /^\[.*\]$/,
  ),
  'voice message of a channel': seen(
    said(
      '',
      '<div><span itemid="1" itemscope itemtype="http://schema.skype.com/InputExtension"></span></div>',
    ),
    /^\[voice note\]$/,
  ),
  'recording as a card': seen(
    {
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.audio',
          content:
            '{"duration":"PT13S","media":[{"url":"https://eu-api.asm.skype.com/v1/objects/0/views/audio"}]}',
        },
      ],
    },
    /^\[audio\]$/,
  ),
  video: seen(
    { attachments: [{ contentType: 'video/mp4', contentUrl: 'https://smba.trafficmanager.net/3' }] },
    /^\[.*\]$/,
  ),
  'adaptive card': seen(adaptive({ type: 'TextBlock', text: 'Build 7 is red' }), /^Build 7 is red$/),
  'card with facts': seen(
    adaptive({ type: 'FactSet', facts: [{ title: 'State', value: 'red' }] }),
    /^State: red$/,
  ),
  'card with columns': seen(
    adaptive({
      type: 'ColumnSet',
      columns: [{ type: 'Column', items: [{ type: 'TextBlock', text: 'left' }] }],
    }),
    /^left$/,
  ),
  'card with a table': seen(
    adaptive({
      type: 'Table',
      rows: [
        { type: 'TableRow', cells: [{ type: 'TableCell', items: [{ type: 'TextBlock', text: 'a1' }] }] },
      ],
    }),
    /^a1$/,
  ),
  'card with rich text': seen(
    adaptive({ type: 'RichTextBlock', inlines: ['Build ', { type: 'TextRun', text: '7' }] }),
    /^Build 7$/,
  ),
  'card with a picture': seen(
    adaptive({ type: 'Image', url: 'https://a.b/c.png', altText: 'a cat' }),
    /a cat/,
  ),
  'card with a form': seen(adaptive({ type: 'Input.Text', id: 'size', label: 'Your size' }), /^Your size$/),
  'card with a link': seen(
    card('adaptive', { actions: [{ type: 'Action.OpenUrl', title: 'Open', url: 'https://a.b' }] }),
    /^\[Open\]\(https:\/\/a\.b\)$/,
  ),
  'card of the future': seen(adaptive({ type: 'Hologram' }), /^\[adaptive\]$/),
  'hero card': seen(
    card('hero', { title: 'Build 7', subtitle: 'red', text: 'since noon' }),
    /^Build 7\nred\nsince noon$/,
  ),
  'thumbnail card': seen(
    card('thumbnail', { title: 'A page', images: [{ url: 'u', alt: 'a cat' }] }),
    /A page\n.*a cat/,
  ),
  'connector card': seen(
    {
      attachments: [
        {
          contentType: 'application/vnd.microsoft.teams.card.o365connector',
          content: { title: 'Deploy', sections: [{ text: 'done' }] },
        },
      ],
    },
    /^Deploy\ndone$/,
  ),
  'audio card': seen(card('audio', { media: [{ url: 'https://a.b/1.mp3' }] }), /^\[audio\]$/),
  'loop component': seen(
    { attachments: [{ contentType: 'application/vnd.microsoft.card.fluidEmbedCard', content: {} }] },
    /^\[fluidEmbedCard\]$/,
  ),
  'answers of a form': seen({ value: { size: 'XL', count: 2 } }, /^\[form\]\nsize: XL\ncount: 2$/),
  'choice of a suggestion': seen({ text: 'Yes', value: 'Yes' }, /^Yes$/),
  'message without anything': unseen({ text: '' }),
  'another bot': unseen({ text: 'beep', from: { id: '28:other', name: 'Bot' } }),
  typing: unseen({ type: 'typing' }),
  'end of a conversation': unseen({ type: 'endOfConversation' }),
  'somebody joins': unseen({ type: 'conversationUpdate', membersAdded: [{ id: '29:bob' }] }),
  'read receipt': unseen({ type: 'event', name: 'application/vnd.microsoft.readReceipt', value: {} }),
  'search of an extension': unseen({ type: 'invoke', name: 'composeExtension/query', value: {} }),
};
