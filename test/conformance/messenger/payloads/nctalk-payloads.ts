import { type PayloadKind, seen, unseen } from './payload-kind.ts';

const FILE = {
  type: 'file',
  id: '11',
  name: 'plan.pdf',
  path: 'Talk/plan.pdf',
  link: 'https://cloud.test/f/11',
  size: '10',
  mimetype: 'application/pdf',
};
const shared = (object: object, more: object = {}) => ({
  message: '{object}',
  messageParameters: { object },
  ...more,
});
const file = (more: object = {}, message = '{file}') => ({
  message,
  messageParameters: { file: { ...FILE, ...more } },
});
const mention = (key: string, parameter: object) => ({
  message: `{${key}} hello`,
  messageParameters: { [key]: parameter },
});
const notice = (systemMessage: string) => ({
  message: `{actor} did ${systemMessage}`,
  messageType: 'system',
  systemMessage,
});

/** Of a message (https://nextcloud-talk.readthedocs.io/en/latest/chat/#receive-chat-messages-of-a-conversation). */
export const NCTALK_KINDS: Readonly<Record<string, PayloadKind>> = {
  text: seen({ message: 'hello' }, /^hello$/),
  markdown: seen({ message: '**hello**', markdown: true }, /^\*\*hello\*\*$/),
  'braces in a text': seen({ message: 'a {b} c' }, /^a \{b\} c$/),
  'silent message': seen({ message: 'psst', silent: true }, /^psst$/),
  'message that expires': seen({ message: 'soon gone', expirationTimestamp: 1 }, /^soon gone$/),
  'mention of a user': seen(
    mention('mention-user1', { type: 'user', id: 'ada', name: 'Ada' }),
    /^@Ada hello$/,
  ),
  'mention of a guest': seen(
    mention('mention-guest1', { type: 'guest', id: 'g', name: 'Bob' }),
    /^@Bob hello$/,
  ),
  'mention of all': seen(mention('mention-call1', { type: 'call', id: 'r', name: 'Plans' }), /^@all hello$/),
  'mention of a group': seen(
    mention('mention-group1', { type: 'user-group', id: 'staff', name: 'Staff' }),
    /^@Staff hello$/,
  ),
  'mention of a team': seen(
    mention('mention-team1', { type: 'circle', id: 'c', name: 'Crew' }),
    /^@Crew hello$/,
  ),
  'mention by mail': seen(mention('mention-email1', { type: 'email', id: 'e', name: 'Eve' }), /^@Eve hello$/),
  'mention of another server’s user': seen(
    mention('mention-federated-user1', { type: 'user', id: 'ada', name: 'Ada', server: 'https://c.test' }),
    /^@Ada hello$/,
  ),
  file: seen(file(), /^\nfile: plan\.pdf$/),
  'file with a caption': seen(file({}, 'look'), /^look\nfile: plan\.pdf$/),
  picture: seen(file({ name: 'a.png', mimetype: 'image/png', width: '1', height: '1' }), /file: a\.png/),
  'voice message': seen(
    { ...file({ name: 'Talk recording.mp3', mimetype: 'audio/mpeg' }), messageType: 'voice-message' },
    /file: Talk recording\.mp3/,
  ),
  'record of a call': seen(
    { ...file({ name: 'Recording.webm', mimetype: 'video/webm' }), messageType: 'record-video' },
    /file: Recording\.webm/,
  ),
  'sound of a call': seen(
    { ...file({ name: 'Recording.ogg', mimetype: 'audio/ogg' }), messageType: 'record-audio' },
    /file: Recording\.ogg/,
  ),
  'file without a type': seen(file({ mimetype: '' }), /file: plan\.pdf/),
  'file that cannot be downloaded': seen(file({ 'hide-download': 'yes' }), /^\[attachment too large\]$/),
  folder: seen(file({ name: 'Photos', mimetype: 'httpd/unix-directory' }), /file: Photos/),
  poll: seen(shared({ type: 'talk-poll', id: '1', name: 'Tea?' }), /^\[poll: Tea\?\]$/),
  location: seen(
    shared({ type: 'geo-location', id: 'geo:1,2', name: 'Cafe', latitude: '48.85', longitude: '2.35' }),
    /^\[location: Cafe \(48\.85, 2\.35\)\]$/,
  ),
  contact: seen(shared({ type: 'addressbook-contact', id: '1', name: 'Bob' }), /^\[contact: Bob\]$/),
  'contact as a file': seen(file({ name: 'Bob.vcf', mimetype: 'text/vcard' }), /file: Bob\.vcf/),
  card: seen(
    shared({ type: 'deck-card', id: '1', name: 'Paint', boardname: 'House', link: 'https://c.test/d/1' }),
    /^\[card: Paint \(https:\/\/c\.test\/d\/1\)\]$/,
  ),
  board: seen(shared({ type: 'deck-board', id: '1', name: 'House' }), /^\[board: House\]$/),
  form: seen(shared({ type: 'forms-form', id: '1', name: 'Lunch' }), /^\[form: Lunch\]$/),
  event: seen(shared({ type: 'calendar-event', id: '1', name: 'Standup' }), /^\[event: Standup\]$/),
  'object of the future': seen(shared({ type: 'hologram', id: '1', name: 'Cube' }), /^\[hologram: Cube\]$/),
  'object without a name': seen(shared({ type: 'talk-attachment', id: '7' }), /^\[talk-attachment: 7\]$/),
  'open graph link': seen(
    shared({ type: 'open-graph', id: '1', name: 'A page', link: 'https://a.b' }),
    /^\[open-graph: A page \(https:\/\/a\.b\)\]$/,
  ),
  'message pinned by its writer': seen({ message: 'read me', metaData: { pinnedActorId: 'x' } }, /^read me$/),
  'edited before it was read': seen(
    { message: 'as it is now', lastEditTimestamp: 1, lastEditActorId: 'x' },
    /^as it is now$/,
  ),
  'message with a parameter that is no object': seen(
    { message: 'a {b}', messageParameters: { b: 'text' } },
    /^a \{b\}$/,
  ),
  'message without anything': unseen({ message: '' }),
  'deleted message': unseen({ message: 'Message deleted by author', messageType: 'comment_deleted' }),
  'talk’s command': unseen({ message: '/help', messageType: 'command' }),
  'who joins': unseen(notice('user_added')),
  'who leaves': unseen(notice('user_removed')),
  'new name': unseen(notice('conversation_renamed')),
  'new description': unseen(notice('description_set')),
  'end of a poll': unseen(notice('poll_closed')),
  'pinned message': unseen(notice('message_pinned')),
  'new picture': unseen(notice('avatar_set')),
  'another bot': unseen({ message: 'beep', actorType: 'bots', actorId: 'bot-1' }),
  'bridged message': unseen({ message: 'from IRC', actorType: 'bridged', actorId: 'bridge' }),
};
