import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/base/errors.ts';
import { FileSweeper } from '../../../src/files/file-sweeper.ts';
import { keepInboundFiles } from '../../../src/files/keep-inbound-files.ts';
import { listedAttachments } from '../../../src/files/listed-attachments.ts';
import { openByToken } from '../../../src/files/open-file.ts';
import { attachedFiles, resolveAttachments } from '../../../src/files/resolve-attachments.ts';
import { reserveFile, uploadInline } from '../../../src/files/upload-file.ts';
import type { MessageStatus } from '../../../src/store/messages/message-tables.ts';
import { MAX_BYTES, pieces, type TestFiles, testFiles, textOf } from './test-files.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const FROM = { accountId: 'acc_a', platform: 'telegram', loginKey: 'bot_1' } as const;
const FACTS = { name: 'a.txt', mime: 'text/plain' };

const anySignal = () => new AbortController().signal;
const sweep = ({ files }: TestFiles) => new FileSweeper(files, () => {}).sweep();

/** An inbound file, as stored by intake. */
async function inbound(
  { files, store }: TestFiles,
  ref = 'r1',
  sizeBytes: number | null = null,
): Promise<string> {
  const file = { name: 'photo.jpg', mime: 'image/jpeg', sizeBytes, ref };
  const { fileIds } = await keepInboundFiles(files, store.db, FROM, [file]);
  return fileIds[0]!;
}

/** A message of `acc_a` with these files; returns its `seq`. */
async function messageWith(
  { store, clock }: TestFiles,
  fileIds: readonly string[],
  status: MessageStatus = 'received',
): Promise<number> {
  const at = clock.nowIso();
  const conversation = {
    id: `cnv_${fileIds[0]}`,
    accountId: 'acc_a',
    platform: 'agent',
    agentId: 'agt_a',
    peerAgentId: 'agt_a',
    task: `${fileIds[0]}`,
    remoteId: 'x',
    status: 'active',
    createdAt: at,
    lastSeq: 0,
  } as const;
  await store.db.insertInto('conversations').values(conversation).execute();
  const { seq } = await store.db
    .insertInto('messages')
    .values({
      id: `msg_${fileIds[0]}`,
      accountId: 'acc_a',
      conversationId: conversation.id,
      direction: 'outbound',
      text: '',
      status,
      createdAt: at,
      changedAt: at,
    })
    .returning('seq')
    .executeTakeFirstOrThrow();
  const rows = fileIds.map((fileId, position) => ({ messageSeq: seq, position, fileId }));
  await store.db.insertInto('attachments').values(rows).execute();
  return seq;
}

/** The token in a listed attachment's URL. */
async function tokenIn({ files }: TestFiles, seq: number): Promise<string> {
  const listed = await listedAttachments(files, 'https://x.test', [seq]);
  return listed.get(seq)![0]!.url.split('/').at(-1)!;
}

async function readBy({ files }: TestFiles, token: string): Promise<string> {
  const file = await openByToken(files, token);
  return await textOf(file.read(0, file.sizeBytes - 1));
}

describe('an attachment', () => {
  it('becomes a file in its position, in any form', async () => {
    const tested = await testFiles();
    const { file } = await uploadInline(tested.files, 'acc_a', Buffer.from('first'), FACTS);
    const resolved = await resolveAttachments(
      tested.files,
      'acc_a',
      [{ fileId: file.id }, { bytes: Buffer.from('second'), name: 'b/ad.txt', mime: 'text/plain' }],
      anySignal(),
    );
    expect(resolved).toMatchObject([
      { fileId: file.id, name: 'a.txt', mime: 'text/plain', sizeBytes: 5 },
      { name: 'ad.txt', mime: 'text/plain', sizeBytes: 6 },
    ]);
    expect(await textOf(resolved[0]!.open())).toBe('first');
    // Each call starts at the beginning: a connector may have to send it again.
    expect(await textOf(resolved[1]!.open())).toBe('second');
    expect(await textOf(resolved[1]!.open())).toBe('second');
  });

  it('may be an inbound file, which is fetched first', async () => {
    const tested = await testFiles();
    const id = await inbound(tested);
    const [file] = await resolveAttachments(tested.files, 'acc_a', [{ fileId: id }], anySignal());
    expect(file).toMatchObject({ sizeBytes: 'bytes of r1'.length });
    expect(await textOf(file!.open())).toBe('bytes of r1');
  });

  it('must exist and belong to the account', async () => {
    const tested = await testFiles();
    const { files, clock } = tested;
    const { file } = await uploadInline(files, 'acc_b', Buffer.from('x'), FACTS);
    const own = (await uploadInline(files, 'acc_a', Buffer.from('x'), FACTS)).file;
    const reserved = await reserveFile(files, 'acc_a', FACTS);
    const attach = (fileId: string) => resolveAttachments(files, 'acc_a', [{ fileId }], anySignal());
    await expect(attach(file.id)).rejects.toMatchObject({
      status: 403,
      message: 'File belongs to another user',
    });
    for (const id of ['f_nothing', reserved.fileId]) {
      await expect(attach(id)).rejects.toMatchObject({ status: 404, code: 'file_not_found' });
    }
    await attach(own.id);
    clock.advance(DAY_MS);
    await expect(attach(own.id)).rejects.toMatchObject({ code: 'file_not_found' });
  });

  it('must not exceed the size limit', async () => {
    const { files } = await testFiles();
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    const attaching = resolveAttachments(files, 'acc_a', [{ bytes, ...FACTS }], anySignal());
    await expect(attaching).rejects.toMatchObject({ code: 'file_too_large' });
  });

  it('is kept while its message is pending, even after its URL expires', async () => {
    const tested = await testFiles();
    const { files, clock, store } = tested;
    const { file, token } = await uploadInline(files, 'acc_a', Buffer.from('wait'), FACTS);
    const seq = await messageWith(tested, [file.id], 'pending');
    clock.advance(6 * DAY_MS);
    await sweep(tested);
    await expect(readBy(tested, token)).rejects.toMatchObject({ code: 'file_not_found' });
    const [attached] = await attachedFiles(files, seq);
    expect(await textOf(attached!.open())).toBe('wait');

    await store.db.updateTable('messages').set({ status: 'delivered' }).execute();
    await sweep(tested);
    await expect(attachedFiles(files, seq)).rejects.toMatchObject({ code: 'file_gone' });
    expect(files.ledger.totalBytes).toBe(0);
    expect((await listedAttachments(files, 'https://x.test', [seq])).get(seq)).toMatchObject([
      { name: 'a.txt', mime: 'text/plain', sizeBytes: 4 },
    ]);
    await expect(readBy(tested, token)).rejects.toMatchObject({ code: 'file_not_found' });
    clock.advance(24 * DAY_MS);
    await sweep(tested);
    expect((await listedAttachments(files, 'https://x.test', [seq])).size).toBe(0);
  });
});

describe('inbound files', () => {
  it('are listed with the message, in order, without being fetched', async () => {
    const tested = await testFiles();
    const [one, two] = [await inbound(tested, 'r1', 5), await inbound(tested, 'r2')];
    const seq = await messageWith(tested, [two, one]);
    const listed = await listedAttachments(tested.files, 'https://x.test/p', [seq, seq + 1]);
    expect([...listed.keys()]).toEqual([seq]);
    expect(listed.get(seq)).toMatchObject([
      { name: 'photo.jpg', mime: 'image/jpeg', sizeBytes: null },
      { name: 'photo.jpg', mime: 'image/jpeg', sizeBytes: 5 },
    ]);
    expect(listed.get(seq)![0]!.url).toMatch(/^https:\/\/x\.test\/p\/api\/files\/[\w-]{32}$/);
    expect(tested.platform.asked).toEqual([]);
  });

  it('are left out when they are too large or not available', async () => {
    const { files, store } = await testFiles();
    const file = { name: 'x', mime: 'y/z', sizeBytes: null, ref: 'r' };
    const kept = await keepInboundFiles(files, store.db, FROM, [
      { ...file, sizeBytes: MAX_BYTES + 1 },
      { ...file, sizeBytes: MAX_BYTES },
      { ...file, ref: null },
      file,
    ]);
    expect([kept.fileIds.length, kept.tooLarge]).toEqual([2, 2]);
  });

  it('are fetched once for concurrent readers, kept for 15 minutes, then fetched again', async () => {
    const tested = await testFiles();
    const { files, platform, clock } = tested;
    const token = await tokenIn(tested, await messageWith(tested, [await inbound(tested)]));
    const gate = Promise.withResolvers<void>();
    platform.answer = async () => {
      await gate.promise;
      return pieces('jp', 'eg');
    };
    const readers = Array.from({ length: 20 }, () => readBy(tested, token));
    gate.resolve();
    expect(new Set(await Promise.all(readers))).toEqual(new Set(['jpeg']));
    expect(platform.asked).toEqual([[{ kind: 'bot_token', id: 'bot_1' }, 'r1']]);

    clock.advance(15 * MINUTE_MS - 1);
    await sweep(tested);
    await readBy(tested, token);
    expect(platform.asked).toHaveLength(1);
    clock.advance(1);
    await sweep(tested);
    expect(files.ledger.totalBytes).toBe(0);
    expect(await readBy(tested, token)).toBe('jpeg');
    expect(platform.asked).toHaveLength(2);
    expect(files.ledger.totalBytes).toBe(4);
  });

  it('are fetched again after 15 minutes, whether swept or not', async () => {
    const tested = await testFiles();
    const { files, platform, clock } = tested;
    const token = await tokenIn(tested, await messageWith(tested, [await inbound(tested)]));
    await readBy(tested, token);
    clock.advance(15 * MINUTE_MS);
    platform.answer = async () => pieces('fetched anew');
    const readers = Array.from({ length: 5 }, () => readBy(tested, token));
    expect(new Set(await Promise.all(readers))).toEqual(new Set(['fetched anew']));
    expect([platform.asked.length, files.ledger.totalBytes]).toEqual([2, 'fetched anew'.length]);
    // The copy that was due to be swept has been replaced.
    await sweep(tested);
    await readBy(tested, token);
    expect(platform.asked).toHaveLength(2);

    clock.advance(15 * MINUTE_MS);
    platform.answer = async () => {
      throw new GatewayError('file_gone');
    };
    await expect(readBy(tested, token)).rejects.toMatchObject({ code: 'file_gone' });
    expect(files.ledger.totalBytes).toBe(0);
  });

  it('make room on disk for files that only the gateway has', async () => {
    const tested = await testFiles({ totalBytes: 1_000 });
    const { files, platform, clock } = tested;
    platform.answer = async () => pieces(Buffer.alloc(400));
    const tokens: string[] = [];
    for (const ref of ['r1', 'r2']) {
      tokens.push(await tokenIn(tested, await messageWith(tested, [await inbound(tested, ref)])));
      await readBy(tested, tokens.at(-1)!);
      clock.advance(MINUTE_MS);
    }
    expect(files.ledger.totalBytes).toBe(800);
    // Both find that room is missing, and free it together.
    await Promise.all([250, 250].map((bytes) => uploadInline(files, 'acc_a', Buffer.alloc(bytes), FACTS)));
    // The older copy is gone, the newer one is kept.
    expect(files.ledger.totalBytes).toBe(900);
    await readBy(tested, tokens[1]!);
    expect(platform.asked).toHaveLength(2);
    await uploadInline(files, 'acc_a', Buffer.alloc(500), FACTS);
    expect(files.ledger.totalBytes).toBe(1_000);
    await expect(readBy(tested, tokens[0]!)).rejects.toMatchObject({ code: 'storage_full' });
    await expect(uploadInline(files, 'acc_a', Buffer.alloc(1), FACTS)).rejects.toMatchObject({
      code: 'storage_full',
    });
  });

  it('are gone when the platform no longer has them, and are not requested again', async () => {
    const tested = await testFiles();
    const { platform } = tested;
    const token = await tokenIn(tested, await messageWith(tested, [await inbound(tested)]));
    platform.answer = async () => {
      throw new GatewayError('file_gone');
    };
    for (let i = 0; i < 2; i++) {
      await expect(readBy(tested, token)).rejects.toMatchObject({ status: 410, message: 'Gone' });
    }
    expect(platform.asked).toHaveLength(1);
  });

  it('are gone when they turn out to be over the size limit', async () => {
    const tested = await testFiles();
    const token = await tokenIn(tested, await messageWith(tested, [await inbound(tested)]));
    tested.platform.answer = async () => pieces(Buffer.alloc(MAX_BYTES), 'x');
    await expect(readBy(tested, token)).rejects.toMatchObject({ code: 'file_gone' });
    expect(tested.files.ledger.totalBytes).toBe(0);
  });

  it('can be requested again when the platform fails', async () => {
    const tested = await testFiles();
    const { platform } = tested;
    const token = await tokenIn(tested, await messageWith(tested, [await inbound(tested)]));
    platform.answer = async () => {
      throw new Error('connection lost');
    };
    await expect(readBy(tested, token)).rejects.toMatchObject({ status: 502, code: 'platform_failed' });
    platform.answer = async () => pieces('there');
    expect(await readBy(tested, token)).toBe('there');
  });

  it('are given up when the platform hangs', async () => {
    const tested = await testFiles();
    const token = await tokenIn(tested, await messageWith(tested, [await inbound(tested)]));
    const asked = Promise.withResolvers<void>();
    tested.platform.answer = async () => {
      asked.resolve();
      return await new Promise<never>(() => {});
    };
    const reading = expect(readBy(tested, token)).rejects.toMatchObject({ code: 'platform_failed' });
    await asked.promise;
    tested.clock.advance(MINUTE_MS);
    await reading;
  });

  it('are deleted after 30 days', async () => {
    const tested = await testFiles();
    const seq = await messageWith(tested, [await inbound(tested)]);
    const token = await tokenIn(tested, seq);
    tested.clock.advance(30 * DAY_MS - 1);
    await sweep(tested);
    await readBy(tested, token);
    tested.clock.advance(1);
    await expect(readBy(tested, token)).rejects.toMatchObject({ code: 'file_not_found' });
    await sweep(tested);
    expect([(await attachedFiles(tested.files, seq)).length, tested.files.ledger.totalBytes]).toEqual([0, 0]);
  });
});
