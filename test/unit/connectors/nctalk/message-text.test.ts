import { expect, it } from 'vitest';
import { readMessage } from '../../../../src/connectors/nctalk/messages/message-reading.ts';
import { filesOf, plainText } from '../../../../src/connectors/nctalk/messages/message-text.ts';
import { listOf, Message, RichText, Room } from '../../../../src/connectors/nctalk/objects.ts';

const OWN = 'chamade-bot-k3j9x2ab';
const LOGIN = { kind: 'connection', id: 'con_1' } as const;
const READER = { login: LOGIN, ownId: OWN, owner: 'ada' };
const ROOM = { token: 'wqfqmw9n', kind: 'channel', name: 'Plans' } as const;

/** What the chat API tells of a message. */
function told(change: object): Message {
  return Message.parse({
    ...{ id: 237, token: ROOM.token, actorType: 'users', actorId: 'eve', actorDisplayName: 'Eve' },
    ...{ timestamp: 1_631_381_422, message: 'hello', messageParameters: [], systemMessage: '' },
    ...{ messageType: 'comment', isReplyable: true, referenceId: '', reactions: {}, markdown: true },
    ...change,
  });
}

function textOf(change: object): string | undefined {
  const reading = readMessage(told(change), ROOM, READER);
  return reading?.kind === 'written' ? reading.inbound.text : undefined;
}

const user = (id: string, name: string, more: object = {}) => ({ type: 'user', id, name, ...more });

// Shapes of https://github.com/nextcloud/spreed (its docs, its integration tests, its issues and those of its clients).
it.each<[string, object, string]>([
  ['an empty map, which PHP writes as a list', { messageParameters: [] }, 'hello'],
  [
    'a mention of the conversation (docs/bots.md)',
    {
      message: 'hi {mention-call1} !',
      messageParameters: {
        'mention-call1': {
          type: 'call',
          id: 'n3xtc10ud',
          name: 'world',
          'call-type': 'group',
          'icon-url': 'https://x',
        },
      },
    },
    'hi @all !',
  ],
  [
    'mentions of people, guests, groups and teams, and of the bot itself',
    {
      message: '{mention-user1} {mention-user2}, {mention-guest1}, {mention-group1} and {mention-team1}',
      messageParameters: {
        'mention-user1': user(OWN, 'Chamade'),
        'mention-user2': user('bob', 'Bob'),
        'mention-guest1': { type: 'guest', id: 'guest/af3c', name: 'Gus' },
        'mention-group1': { type: 'user-group', id: 'staff', name: 'Staff' },
        'mention-team1': { type: 'circle', id: 'x1', name: 'Pilots' },
      },
    },
    '@Bob, @Gus, @Staff and @Pilots',
  ],
  [
    'a user of another server with the bot’s id (federation)',
    {
      message: '{mention-federated-user1}!',
      messageParameters: {
        'mention-federated-user1': user(OWN, 'Other', { server: 'https://other.example' }),
      },
    },
    '@Other!',
  ],
  [
    'a poll (tests/integration/features/chat-3/poll.feature)',
    {
      message: '{object}',
      messageParameters: {
        actor: user('participant1', 'participant1-displayname'),
        object: { type: 'talk-poll', id: '7', name: 'What is the question?' },
      },
    },
    '[poll: What is the question?]',
  ],
  [
    'a place whose id is somebody’s URL (hackerone.com/reports/1337178)',
    {
      message: '{object}',
      messageParameters: {
        actor: user('secret', 'secret'),
        object: {
          ...{ type: 'geo-location', id: 'https://ctulhu.me', name: 'hehe' },
          ...{ latitude: '14.600765443470294', longitude: '121.00452968052457' },
        },
      },
    },
    '[location: hehe (14.600765443470294, 121.00452968052457)]',
  ],
  [
    'a card',
    {
      message: '{object}',
      messageParameters: {
        object: {
          ...{ type: 'deck-card', id: '12', name: 'Buy milk', boardname: 'Home', stackname: 'To do' },
          link: 'https://cloud.example/apps/deck/card/12',
        },
      },
    },
    '[card: Buy milk (https://cloud.example/apps/deck/card/12)]',
  ],
  [
    'a link that is none',
    {
      message: '{o}',
      messageParameters: { o: { type: 'forms-form', id: '1', name: 'Vote', link: 'javascript:x' } },
    },
    '[form: Vote]',
  ],
  [
    'a placeholder without a parameter',
    { message: '{user} {constructor}', messageParameters: {} },
    '{user} {constructor}',
  ],
  [
    'a parameter that cannot be read',
    { message: '{a} {b}', messageParameters: { a: 7, b: user('bob', 'Bob') } },
    '{a} @Bob',
  ],
])('reads %s', (_what, change, text) => {
  expect(textOf(change)).toBe(text);
});

it('takes a shared file for a message though Talk calls it a notice (nextcloud/spreed#8858)', () => {
  const file = { type: 'file', id: '93', name: 'Photo.jpg', size: '88011', path: 'Talk/Photo.jpg' };
  const message = told({
    ...{
      message: '{file}',
      messageType: 'system',
      messageParameters: { file: { ...file, mimetype: 'image/jpeg' } },
    },
  });
  expect(readMessage(message, ROOM, READER)).toMatchObject({
    kind: 'written',
    inbound: {
      text: '',
      files: [{ name: 'Photo.jpg', mime: 'image/jpeg', sizeBytes: 88_011, ref: 'Talk/Photo.jpg' }],
    },
  });
});

it.each([
  [{ size: 12 }, { sizeBytes: 12, ref: 'a', mime: 'application/octet-stream' }],
  [
    { size: '-1', path: '' },
    { sizeBytes: null, ref: null },
  ],
  [{ 'hide-download': 'yes' }, { ref: null }],
  [{ name: undefined }, { name: 'file 9' }],
])('reads a file with %j', (change, expected) => {
  const file = { type: 'file', id: '9', name: 'a', path: 'a', ...change };
  expect(filesOf(RichText.parse({ message: '{file}', messageParameters: { file } }))).toMatchObject([
    expected,
  ]);
});

it.each([
  ['of the bot itself', { actorId: OWN }],
  ['of another account’s bot', { actorId: 'chamade-bot-zz00zz00' }],
  ['of a Talk bot', { actorType: 'bots', actorId: 'bot-a78f46c5' }],
  ['of Talk', { systemMessage: 'user_added', message: '{actor} added {user}', messageType: 'system' }],
  ['that was deleted', { messageType: 'comment_deleted', message: 'Message deleted by author' }],
  ['that is a reaction', { systemMessage: 'reaction', message: '👍', messageType: 'system' }],
  ['with nothing in it', { message: ' ' }],
])('stores no message %s', (_what, change) => {
  expect(readMessage(told(change), ROOM, READER)).toBeNull();
});

it('tells who wrote: users by their ids, others with what they are', () => {
  const from = (change: object) => {
    const reading = readMessage(told(change), ROOM, READER);
    return reading?.kind === 'written' && [reading.inbound.from.person, reading.inbound.senderName];
  };
  expect(from({})).toEqual(['eve', 'Eve']);
  expect(from({ actorType: 'guests', actorId: 'af3c', actorDisplayName: '' })).toEqual([
    'guests/af3c',
    'Guest',
  ]);
  expect(from({ actorType: 'federated_users', actorId: 'bob@b.example' })).toEqual([
    'federated_users/bob@b.example',
    'Eve',
  ]);
});

it('keeps threads apart, but no replies (Talk 22)', () => {
  const thread = (change: object) => {
    const reading = readMessage(told(change), ROOM, READER);
    return reading?.kind === 'written' ? reading.inbound.from.thread : undefined;
  };
  expect(thread({ threadId: 200, isThread: true })).toBe('200');
  expect(thread({ threadId: 237, isThread: true })).toBeNull();
  expect(thread({ threadId: 200 })).toBeNull();
});

it('shows what a reply answers, unless that is deleted', () => {
  const parent = { ...told({ id: 200, message: 'Which\nplan? {mention-user1}', actorDisplayName: 'Bob' }) };
  const withMention = { ...parent, messageParameters: { 'mention-user1': user('ada', 'Ada') } };
  const answeredBy = (change: object) => {
    const reading = readMessage(told(change), ROOM, READER);
    return reading?.kind === 'written' ? reading.inbound.replyTo : null;
  };
  const answered = { platformMessageId: '200', author: 'Bob', text: 'Which\nplan? @Ada' };
  expect(textOf({ parent: withMention })).toBe('hello');
  expect(answeredBy({ parent: withMention })).toMatchObject(answered);
  expect(answeredBy({ parent: { id: 200, deleted: true } })).toBeUndefined();
});

it('tells reactions, and that one was taken back', () => {
  const parent = told({ id: 200, message: 'Which plan?' });
  const readingOf = (change: object) => readMessage(told({ parent, ...change }), ROOM, READER);
  expect(readingOf({ systemMessage: 'reaction', message: '👍' })).toMatchObject({
    kind: 'reaction',
    reaction: { platformMessageId: '200', emoji: '👍', isAdded: true, senderName: 'Eve' },
  });
  expect(
    readingOf({ systemMessage: 'reaction_revoked', message: '{actor} deleted a reaction' }),
  ).toMatchObject({
    kind: 'reaction',
    reaction: { platformMessageId: '200', emoji: null, isAdded: false },
  });
});

it('survives what is no message among messages', () => {
  const list = listOf(Message, 3).parse([
    null,
    { id: 'x' },
    { id: 7 },
    { id: 8 },
    { id: 9, timestamp: 1e300 },
  ]);
  expect(list.map(({ id }) => id)).toEqual([7]);
  expect(Room.safeParse({ token: '../../x', type: 1 }).success).toBe(false);
  expect(plainText(RichText.parse({ message: 5, messageParameters: 'x' }), OWN)).toBe('');
});
