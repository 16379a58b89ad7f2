import { expect, it } from 'vitest';
import { waitFor } from '../../../support/wait-for.ts';
import { connected, LOGIN, NEVER, outbound, outboundFile } from './teams-setup.ts';

const PLAN = { name: 'plan.pdf', mime: 'application/pdf', bytes: Buffer.from('the bytes of the plan') };
const FILE = outboundFile('report.pdf', Buffer.from('the bytes of the report'));

type Setup = Awaited<ReturnType<typeof connected>>;

async function bytesOf({ messenger }: Setup, ref: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of await messenger.files!.fetchFile(LOGIN, ref, NEVER)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

it('downloads files by their pre-authorized address, and pasted images with the bot’s token', async () => {
  const setup = await connected();
  setup.ada.sends(PLAN, 'see');
  setup.ada.pastes({ mime: 'image/png', bytes: Buffer.from('a picture') });
  await setup.settled();
  const [shared, pasted] = setup.intake.messages;
  expect(shared).toMatchObject({ text: 'see', files: [{ name: 'plan.pdf', mime: 'application/pdf' }] });
  expect(pasted).toMatchObject({ text: '', files: [{ name: 'image.png', mime: 'image/png' }] });
  expect(await bytesOf(setup, shared!.files[0]!.ref!)).toBe('the bytes of the plan');
  expect(await bytesOf(setup, pasted!.files[0]!.ref!)).toBe('a picture');
  expect(setup.teams.offences).toEqual([]);
});

it('downloads from nowhere else, and tells when an address has expired', async () => {
  const setup = await connected();
  setup.ada.sends(PLAN);
  await setup.settled();
  const { ref } = setup.intake.messages[0]!.files[0]!;
  setup.teams.files.files.clear();
  await expect(bytesOf(setup, ref!)).rejects.toMatchObject({ code: 'file_gone' });
  for (const href of [
    'http://169.254.169.254/latest',
    'https://evil.example.com/v3/attachments/1/views/original',
  ])
    await expect(bytesOf(setup, href)).rejects.toMatchObject({ code: 'file_gone' });
  const contentType = 'application/vnd.microsoft.teams.file.download.info';
  setup.ada.says('look', [{ contentType, name: 'x', content: { downloadUrl: 'http://10.0.0.1/x' } }]);
  await setup.settled();
  expect(setup.intake.messages[1]!.files).toEqual([expect.objectContaining({ name: 'x', ref: null })]);
});

it('says in the text that there was a file, while files are off', async () => {
  const { ada, intake, messenger, settled } = await connected({ hasFiles: false });
  ada.sends(PLAN, 'see');
  await settled();
  expect(intake.messages[0]).toMatchObject({ text: 'see\n[attachment not supported]', files: [] });
  expect(messenger.files).toBeUndefined();
});

async function offered() {
  const setup = await connected();
  setup.ada.says('hello');
  await setup.settled();
  setup.intake.sent.set('msg_1', [FILE]);
  const outcome = await setup.messenger.send(outbound(setup.ada.remoteId, 'the report', [FILE]), NEVER);
  const [text, card] = setup.ada.received();
  expect(outcome).toEqual({ kind: 'sent', platformMessageIds: [text!.id, card!.id] });
  const uploaded = () => [...setup.teams.files.uploads.values()].filter((bytes) => bytes !== null);
  return { ...setup, card: card!, uploaded };
}

it('offers each file, and uploads it once it is accepted', async () => {
  const { ada, card, uploaded, records, teams } = await offered();
  expect(uploaded()).toEqual([]);
  expect(await ada.answersCard(card, true).answer).toEqual({});
  await waitFor('the file', () => ada.received().length === 3);
  expect(uploaded().map(String)).toEqual(['the bytes of the report']);
  expect(ada.received()[2]!.attachments).toMatchObject([
    { contentType: 'application/vnd.microsoft.teams.card.file.info', name: 'report.pdf' },
  ]);
  expect([records.of('offer').length, teams.offences]).toEqual([0, []]);
});

it('keeps the offer while the upload fails', async () => {
  const { teams, ada, card, counts, records, uploaded } = await offered();
  teams.fail('upload', { kind: 'gateway', status: 503 });
  await ada.answersCard(card, true).answer;
  await waitFor('the failure', () => counts.get('file_failed') === 1);
  expect(records.of('offer').length).toBe(1);
  await ada.answersCard(card, true).answer;
  await waitFor('the file', () => uploaded().length === 1);
});

it('forgets a file that is declined', async () => {
  const { ada, card, records, settled, uploaded } = await offered();
  ada.answersCard(card, false);
  ada.answersCard(card, true);
  await settled();
  expect([records.of('offer').length, uploaded()]).toEqual([0, []]);
});

it('uploads for nobody else, to nowhere else, and nothing that was not offered', async () => {
  const { teams, card, ada, counts, settled, uploaded } = await offered();
  const eve = teams.addPerson('Eve');
  const toUrl = (uploadUrl: string) => (value: object) => ({
    ...value,
    uploadInfo: { ...(value as { uploadInfo: object }).uploadInfo, uploadUrl },
  });
  eve.answersCard(card, true);
  eve.answersCard(card, false);
  ada.answersCard(card, true, toUrl('http://169.254.169.254/'));
  ada.answersCard(card, true, toUrl('https://sharepoint.com.example.com/x'));
  ada.answersCard(card, true, (value) => ({ ...value, context: { offer: 'A'.repeat(22) } }));
  ada.answersCard(card, true, (value) => ({ ...value, context: { offer: ['x'] } }));
  ada.invokes('fileConsent/invoke', 'nonsense');
  await settled();
  expect([counts.get('file_refused'), uploaded()]).toEqual([7, []]);
});

it('sends no files to channels', async () => {
  const { teams, ada, intake, messenger, settled } = await connected();
  const group = teams.world.addGroup('Lunch', [ada.user]);
  ada.mentions(group, 'hello');
  await settled();
  const outcome = await messenger.send(outbound(intake.messages[0]!.from, 'see', [FILE]), NEVER);
  expect(outcome).toMatchObject({ kind: 'refused', isAddressGone: false });
  expect(group.messages).toHaveLength(1);
});

it('sends nothing of a message with an empty file', async () => {
  const { ada, messenger, records, settled } = await connected();
  ada.says('hello');
  await settled();
  const files = [FILE, outboundFile('nothing.txt', Buffer.alloc(0))];
  const outcome = await messenger.send(outbound(ada.remoteId, 'see', files), NEVER);
  const reason = 'Teams takes no empty files: nothing.txt';
  expect(outcome).toEqual({ kind: 'refused', reason, isAddressGone: false });
  expect([ada.received(), records.of('offer').length]).toEqual([[], 0]);
});

it('gets the upload of an empty file refused by the fake, as Microsoft refuses it', async () => {
  const { teams } = await connected();
  const { url } = teams.files.openSession();
  const headers = { 'content-range': 'bytes 0--1/0' };
  expect((await fetch(url, { method: 'PUT', headers, body: '' })).status).toBe(400);
});
