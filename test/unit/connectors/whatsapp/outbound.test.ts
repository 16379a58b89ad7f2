import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { directAddress } from '../../../../src/base/address.ts';
import { GatewayError } from '../../../../src/base/errors.ts';
import type { OutboundFile } from '../../../../src/connectors/contract/messenger.ts';
import { API_ERRORS, badParameter } from '../../../fakes/whatsapp/graph-errors.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { file, linked, messageTo, soon } from './linked.ts';

const MB = 1_048_576;
const OGG_OPUS = Buffer.concat([
  Buffer.from('OggS'),
  Buffer.alloc(24),
  Buffer.from('OpusHead'),
  Buffer.alloc(64),
]);
const OGG_VORBIS = Buffer.concat([
  Buffer.from('OggS'),
  Buffer.alloc(25),
  Buffer.from('vorbis'),
  Buffer.alloc(64),
]);

function webp(sizePx: number, isAnimated: boolean, lengthBytes = 200): Buffer {
  const bytes = Buffer.alloc(lengthBytes);
  bytes.write('RIFF', 0, 'latin1');
  bytes.write('WEBPVP8X', 8, 'latin1');
  bytes.writeUInt8(isAnimated ? 0x02 : 0, 20);
  bytes.writeUIntLE(sizePx - 1, 24, 3);
  bytes.writeUIntLE(sizePx - 1, 27, 3);
  return bytes;
}

test('a text is sent with our id, and the answer has the platform’s id', async () => {
  const { api, connector, ada } = await linked();
  await api.says(ada, 'hi');
  const outcome = await connector.provides.messenger!.send(messageTo(ada.userId, 'Grüße 👋'), soon());
  expect(outcome).toEqual({ kind: 'sent', platformMessageIds: [ada.arrived[0]!.wamid] });
  expect(ada.arrived[0]!.request).toEqual({
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    recipient: ada.userId,
    type: 'text',
    text: { body: 'Grüße 👋' },
    biz_opaque_callback_data: 'msg_Grüße 👋',
  });
});

test('a person known only by number is addressed by it', async () => {
  const { api, connector, ada } = await linked();
  await api.says(ada, 'hi');
  await connector.provides.messenger!.send(messageTo(ada.phone, 'hello'), soon());
  expect(ada.arrived[0]!.request).toMatchObject({ to: ada.phone });
  expect(ada.arrived[0]!.request).not.toHaveProperty('recipient');
});

const FILES: readonly [string, string, OutboundFile, object][] = [
  [
    'jpeg',
    'caption',
    file('a.jpg', 'image/jpeg', randomBytes(9)),
    { type: 'image', image: { caption: 'caption' } },
  ],
  [
    'mp4',
    'caption',
    file('a.mp4', 'video/mp4', randomBytes(9)),
    { type: 'video', video: { caption: 'caption' } },
  ],
  ['mp3', 'dropped', file('a.mp3', 'audio/mpeg', randomBytes(9)), { type: 'audio' }],
  [
    'a voice note',
    'dropped',
    file('a.ogg', 'audio/ogg; codecs=opus', OGG_OPUS),
    { type: 'audio', audio: { voice: true } },
  ],
  ['a sticker', '', file('a.webp', 'image/webp', webp(512, false)), { type: 'sticker' }],
  ['an animated sticker', '', file('a.webp', 'image/webp', webp(512, true, 200_000)), { type: 'sticker' }],
  ['webp with a caption', 'caption', file('a.webp', 'image/webp', webp(512, false)), { type: 'document' }],
  ['webp of another size', '', file('a.webp', 'image/webp', webp(400, false)), { type: 'document' }],
  [
    'pdf',
    'caption',
    file('the "plan".pdf', 'application/pdf', randomBytes(9)),
    { type: 'document', document: { caption: 'caption', filename: 'the "plan".pdf' } },
  ],
];

test.each(FILES)('%s is sent as its own type', async (_what, text, attachment, expected) => {
  const { api, connector, ada } = await linked();
  await api.says(ada, 'hi');
  const outcome = await connector.provides.messenger!.send(messageTo(ada.userId, text, [attachment]), soon());
  expect(outcome.kind).toBe('sent');
  expect(ada.arrived).toHaveLength(1);
  const { request } = ada.arrived[0]!;
  expect(request).toMatchObject(expected);
  if (text === 'dropped') expect(JSON.stringify(request)).not.toContain('"caption"');
  const { id } = (request as unknown as Record<string, { id: string }>)[request.type]!;
  const bytes: Uint8Array[] = [];
  for await (const part of attachment.open()) bytes.push(part);
  expect(api.media.find(id)!.bytes).toEqual(Buffer.concat(bytes));
});

test('an Ogg file without Opus is not sent as audio', async () => {
  const { api, connector, ada } = await linked();
  await api.says(ada, 'hi');
  await connector.provides.messenger!.send(
    messageTo(ada.userId, '', [file('a.ogg', 'audio/ogg', OGG_VORBIS)]),
    soon(),
  );
  expect(ada.arrived[0]!.request.type).toBe('document');
});

test('a picture that is too large is refused with WhatsApp’s reason', async () => {
  const { connector, ada } = await linked();
  const picture = file('a.png', 'image/png', Buffer.alloc(5 * MB + 1));
  expect(
    await connector.provides.messenger!.send(messageTo(ada.userId, '', [picture]), soon()),
  ).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('larger'),
  });
});

test('several files are sent one by one, with the text on the first', async () => {
  const { api, connector, ada } = await linked();
  await api.says(ada, 'hi');
  const files = ['1', '2', '3'].map((name) => file(`${name}.pdf`, 'application/pdf', Buffer.from(name)));
  const outcome = await connector.provides.messenger!.send(
    messageTo(ada.userId, 'all of them', files),
    soon(),
  );
  expect(outcome).toEqual({ kind: 'sent', platformMessageIds: ada.arrived.map(({ wamid }) => wamid) });
  expect(ada.arrived.map(({ request }) => request)).toMatchObject([
    { document: { filename: '1.pdf', caption: 'all of them' } },
    { document: { filename: '2.pdf' } },
    { document: { filename: '3.pdf' } },
  ]);
  expect(ada.texts).toEqual(['all of them']);
});

test('a type that WhatsApp does not support is refused with its reason, before anything is sent', async () => {
  const { api, connector, ada } = await linked();
  await api.says(ada, 'hi');
  const files = [
    file('a.pdf', 'application/pdf', randomBytes(9)),
    file('b.zip', 'application/zip', randomBytes(9)),
  ];
  const outcome = await connector.provides.messenger!.send(messageTo(ada.userId, 'x', files), soon());
  expect(outcome).toMatchObject({
    kind: 'refused',
    reason: expect.stringMatching(/^b\.zip: Param file must be a file with one of the following types/),
  });
  expect(ada.arrived).toEqual([]);
});

test('a file that can no longer be read is refused at once, with its name', async () => {
  const { api, connector, ada } = await linked();
  await api.says(ada, 'hi');
  const gone: OutboundFile = {
    ...file('a.pdf', 'application/pdf', randomBytes(9)),
    async *open() {
      yield randomBytes(4);
      throw new GatewayError('platform_failed', 'The file is gone');
    },
  };
  expect(await connector.provides.messenger!.send(messageTo(ada.userId, '', [gone]), soon())).toMatchObject({
    kind: 'refused',
    reason: 'a.pdf: The file is gone',
  });
  expect(ada.arrived).toEqual([]);
});

test('a part that fails after others were sent leaves an unknown outcome with the sent ids', async () => {
  const { api, connector, ada } = await linked();
  await api.says(ada, 'hi');
  const files = ['1', '2'].map((name) => file(`${name}.pdf`, 'application/pdf', Buffer.from(name)));
  api.refuseNext(API_ERRORS.undeliverable, 1);
  expect(await connector.provides.messenger!.send(messageTo(ada.userId, '', files), soon())).toEqual({
    kind: 'unknown',
    reason: 'only the first 1 parts were sent: Message Undeliverable. (131026)',
    sentIds: [ada.arrived[0]!.wamid],
  });
});

test.each([
  [API_ERRORS.windowClosed, { kind: 'window_closed' }],
  [API_ERRORS.pairRate, { kind: 'later', afterMs: 6_000 }],
  [API_ERRORS.down, { kind: 'later', afterMs: 2_000 }],
  [
    { httpStatus: 400, code: 130_429, title: 'Rate limit hit' },
    { kind: 'later', afterMs: 1_000 },
  ],
  [{ httpStatus: 429, code: 9_999, title: 'Slow down' }, { kind: 'later' }],
  [API_ERRORS.undeliverable, { kind: 'refused', reason: 'Message Undeliverable. (131026)' }],
  [badParameter('the text is too odd'), { kind: 'refused', reason: 'the text is too odd (100)' }],
  [
    API_ERRORS.badToken,
    { kind: 'refused', reason: '(#190) Invalid OAuth access token - Cannot parse access token' },
  ],
])('%j: the send returns the matching outcome', async (error, expected) => {
  const { api, connector, ada } = await linked();
  await api.says(ada, 'hi');
  api.refuseNext(error);
  expect(await connector.provides.messenger!.send(messageTo(ada.userId, 'x'), soon())).toMatchObject(
    expected,
  );
  expect(ada.arrived).toEqual([]);
});

test('a request without an answer has an unknown outcome', async () => {
  const { api, connector, ada } = await linked();
  await api.says(ada, 'hi');
  api.cutNext('before');
  expect((await connector.provides.messenger!.send(messageTo(ada.userId, 'lost'), soon())).kind).toBe(
    'unknown',
  );
  api.cutNext('after');
  expect((await connector.provides.messenger!.send(messageTo(ada.userId, 'arrived'), soon())).kind).toBe(
    'unknown',
  );
  expect(ada.texts).toEqual(['arrived']);
});

test('a message is not sent when the platform cannot be reached', async () => {
  const { api, connector, ada } = await linked();
  await api.stop();
  // An open connection must end first.
  await waitFor('a refusal', async () => {
    const { kind } = await connector.provides.messenger!.send(messageTo(ada.userId, 'x'), soon());
    return kind === 'later';
  });
});

test('lengths are checked in UTF-16 units: 1600 for a message, 1024 for a caption', async () => {
  const { connector } = await linked();
  expect(() => connector.provides.messenger!.checkText('x'.repeat(1_600), false)).not.toThrow();
  expect(() => connector.provides.messenger!.checkText('x'.repeat(1_601), false)).toThrow(
    /^Failed to send message/,
  );
  expect(() => connector.provides.messenger!.checkText('👋'.repeat(801), false)).toThrow();
  expect(() => connector.provides.messenger!.checkText('x'.repeat(1_024), true)).not.toThrow();
  expect(() => connector.provides.messenger!.checkText('x'.repeat(1_025), true)).toThrow(
    /^Failed to send message/,
  );
});

test('audio drops its caption, other files keep theirs', async () => {
  const { connector } = await linked();
  for (const [what, , attachment] of FILES)
    expect([what, await connector.provides.messenger!.captions!.dropsCaption(attachment)]).toEqual([
      what,
      /mp3|voice/.test(what),
    ]);
});

test('the template gets through a closed window, with a valid preview', async () => {
  const { connector, ada } = await linked();
  const to = directAddress({ kind: 'shared' }, ada.userId);
  expect((await connector.provides.messenger!.send(messageTo(ada.userId, 'x'), soon())).kind).toBe(
    'window_closed',
  );
  const text = `Your report\n\n\tis      ready: ${'very '.repeat(30)}`;
  expect((await connector.provides.messenger!.window!.askToReply(to, text, soon())).kind).toBe('sent');
  expect((await connector.provides.messenger!.window!.askToReply(to, '', soon())).kind).toBe('sent');
  expect(ada.templates[0]).toMatch(/^Your report is ready: very .*…$/);
  expect(ada.templates[1]).toBe('a file');
});

test('a template that is not approved is refused', async () => {
  const { api, connector, ada } = await linked();
  api.templates.clear();
  const to = directAddress({ kind: 'shared' }, ada.userId);
  expect(await connector.provides.messenger!.window!.askToReply(to, 'x', soon())).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('132001'),
  });
});

test('the login shows the status that Meta returns', async () => {
  const { api, connector, ada } = await linked();
  expect(connector.provides.sharedLogin!.sharedLogin()).toEqual({ name: '+1 555-078-3881', status: 'ok' });
  api.refuseNext(API_ERRORS.badToken);
  await connector.provides.messenger!.send(messageTo(ada.userId, 'x'), soon());
  expect(connector.provides.sharedLogin!.sharedLogin()?.status).toContain('Invalid OAuth access token');
});
