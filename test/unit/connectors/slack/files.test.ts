import { expect, it } from 'vitest';
import { directEvent, LOGIN, NEVER, ownBot } from './slack-setup.ts';

const PLAN = { name: 'plan.pdf', mime: 'application/pdf', bytes: Buffer.from('the bytes of the plan') };

async function withFile(
  change: Parameters<Awaited<ReturnType<typeof ownBot>>['ada']['sends']>[3] = () => undefined,
) {
  const setup = await ownBot();
  const { ada, app, installation, post } = setup;
  const { message } = ada.sends(ada.directMessages(installation), PLAN, '', change);
  const [file] = message.files;
  const event = {
    type: 'message',
    subtype: 'file_share',
    channel: ada.directMessages(installation).id,
    channel_type: 'im',
    user: ada.user.id,
    text: 'here',
    ts: message.ts,
    files: [file!.wire()],
  };
  await post(app.delivery.signed(JSON.stringify(app.envelope(installation, event))));
  const [inbound] = setup.intake.messages[0]!.files;
  const read = async () => {
    const bytes: Uint8Array[] = [];
    for await (const piece of await setup.connector.provides.messenger!.files!.fetchFile(
      LOGIN,
      file!.id,
      NEVER,
    ))
      bytes.push(piece);
    return Buffer.concat(bytes).toString();
  };
  return { ...setup, file: file!, inbound, read };
}

it('downloads files with the bot’s token', async () => {
  const { inbound, file, read } = await withFile();
  expect(inbound).toEqual({
    name: 'plan.pdf',
    mime: 'application/pdf',
    sizeBytes: PLAN.bytes.length,
    ref: file.id,
  });
  expect(await read()).toBe('the bytes of the plan');
});

it('asks for what an event does not tell of a file from elsewhere', async () => {
  const { inbound } = await withFile((file) => {
    file.isFromElsewhere = true;
  });
  expect(inbound).toMatchObject({ name: 'plan.pdf', mime: 'application/pdf', sizeBytes: PLAN.bytes.length });
});

it('leaves out what is deleted, and tells so when it is deleted later', async () => {
  const deleted = await withFile((file) => {
    file.isDeleted = true;
  });
  expect(deleted.inbound).toBeUndefined();
  const { file, read } = await withFile();
  file.isDeleted = true;
  await expect(read()).rejects.toMatchObject({ code: 'file_gone' });
});

it('tells a page to sign in from a file', async () => {
  const { installation, slack, read } = await withFile();
  slack.fail('file', { kind: 'gateway', status: 200 });
  await expect(read()).rejects.toMatchObject({
    code: 'platform_failed',
    message: expect.stringContaining('a page to sign in instead of the file'),
  });
  installation.scopes.delete('files:read');
  await expect(read()).rejects.toMatchObject({
    code: 'platform_failed',
    message: 'missing_scope (needed: files:read)',
  });
});

it('sends its token to no other host', async () => {
  const { file, read } = await withFile();
  Object.defineProperty(file, 'path', { value: '@127.0.0.2/' });
  await expect(read()).rejects.toMatchObject({
    code: 'platform_failed',
    message: expect.stringContaining('unknown host'),
  });
});

it('asks Slack for few of thousands of files', async () => {
  const { slack, installation, ada, intake, tell } = await ownBot();
  const files = Array.from({ length: 5_000 }, (_, n) => ({ id: `F${n}`, file_access: 'check_file_info' }));
  await tell(directEvent(installation, ada.user.id, { ts: '1700000000.000100', text: 'many', files }));
  expect(slack.calls.filter((method) => method === 'files.info')).toHaveLength(33);
  expect(intake.messages[0]!.files).toHaveLength(33);
});
