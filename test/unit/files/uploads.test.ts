import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/base/errors.ts';
import type { FileDomain } from '../../../src/files/file-domain.ts';
import { FileSweeper } from '../../../src/files/file-sweeper.ts';
import { openByToken } from '../../../src/files/open-file.ts';
import { sweepOrphans } from '../../../src/files/orphans.ts';
import { deleteAccountFiles } from '../../../src/files/remove-files.ts';
import { Transfers } from '../../../src/files/transfers.ts';
import {
  fillReserved,
  keepUpload,
  receiveUpload,
  reserveFile,
  uploadInline,
} from '../../../src/files/upload-file.ts';
import { countRows } from '../../../src/store/database/rows.ts';
import { MAX_BYTES, pieces, type TestFiles, testFiles, textOf } from './test-files.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const FACTS = { name: 'a.bin', mime: 'application/x-test' };

const upload = (files: FileDomain, bytes: string | Uint8Array, accountId = 'acc_a') =>
  uploadInline(files, accountId, Buffer.from(bytes), FACTS);

async function read(files: FileDomain, token: string): Promise<string> {
  const file = await openByToken(files, token);
  return await textOf(file.read(0, file.sizeBytes - 1));
}

/** Names of all files on disk, partial or complete. */
function onDisk({ dataDir }: TestFiles): string[] {
  const all = readdirSync(join(dataDir, 'files'), { recursive: true, withFileTypes: true });
  return all.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function sweep(files: FileDomain): Promise<void> {
  await new FileSweeper(files, () => {}).sweep();
}

describe('an upload', () => {
  it('is served by its token and by nothing else', async () => {
    const { files } = await testFiles();
    const { file, token } = await upload(files, 'hello');
    expect(file).toMatchObject({ name: 'a.bin', mime: 'application/x-test', sizeBytes: 5, state: 'stored' });
    expect(file.id).toMatch(/^f_[\w-]{20}$/);
    expect(Buffer.from(token, 'base64url')).toHaveLength(24);
    expect(await read(files, token)).toBe('hello');
    for (const wrong of ['', file.id, `${token}x`, token.toLowerCase().replace(/[a-z]/, 'A')]) {
      await expect(read(files, wrong)).rejects.toMatchObject({ code: 'file_not_found' });
    }
  });

  it('may be empty', async () => {
    const { files } = await testFiles();
    const { token } = await upload(files, '');
    expect(await read(files, token)).toBe('');
  });

  it('may be exactly as large as the limit and not a byte larger', async () => {
    const tested = await testFiles();
    const { files, events } = tested;
    const { token } = await upload(files, Buffer.alloc(MAX_BYTES));
    expect((await openByToken(files, token)).sizeBytes).toBe(MAX_BYTES);
    const before = files.ledger.totalBytes;
    const over = receiveUpload(files, 'acc_a', pieces(Buffer.alloc(MAX_BYTES), 'x'));
    await expect(over).rejects.toMatchObject({
      status: 413,
      message: `File exceeds max size (${MAX_BYTES} bytes)`,
    });
    expect([files.ledger.totalBytes, onDisk(tested).length]).toEqual([before, 1]);
    expect(events).toContain('too_large');
  });

  it('leaves nothing when its source fails', async () => {
    const tested = await testFiles();
    async function* failing() {
      yield Buffer.alloc(30_000);
      throw new Error('cut off');
    }
    await expect(receiveUpload(tested.files, 'acc_a', failing())).rejects.toThrow('cut off');
    expect([tested.files.ledger.totalBytes, onDisk(tested)]).toEqual([0, []]);
  });

  it('leaves nothing when its record cannot be made', async () => {
    const tested = await testFiles();
    await expect(upload(tested.files, 'x', 'acc_nobody')).rejects.toThrow();
    expect([tested.files.ledger.totalBytes, onDisk(tested)]).toEqual([0, []]);
  });

  it('is stored with a sanitized name and its actual type', async () => {
    const { files } = await testFiles();
    const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(20)]);
    const received = await receiveUpload(files, 'acc_a', pieces(png.subarray(0, 3), png.subarray(3)));
    const { file } = await keepUpload(files, 'acc_a', received, { name: '../../x.png', mime: 'text/html' });
    expect(file).toMatchObject({ name: 'x.png', mime: 'image/png' });
  });

  it('expires after 24 h: its URL, its bytes, its record', async () => {
    const tested = await testFiles();
    const { files, clock, store } = tested;
    const { token } = await upload(files, 'hello');
    clock.advance(DAY_MS - 1);
    await sweep(files);
    expect(await read(files, token)).toBe('hello');
    clock.advance(1);
    await expect(read(files, token)).rejects.toMatchObject({ code: 'file_not_found' });
    await sweep(files);
    expect([files.ledger.totalBytes, onDisk(tested)]).toEqual([0, []]);
    expect(await store.db.selectFrom('files').selectAll().execute()).toEqual([]);
  });

  it('is deleted after it expires, in any number', async () => {
    const tested = await testFiles();
    // More than two batches of the sweeper.
    for (let i = 0; i < 201; i++) await upload(tested.files, `${i}`);
    tested.clock.advance(DAY_MS);
    await sweep(tested.files);
    expect(onDisk(tested)).toEqual([]);
  });

  it('is gone when its bytes are lost or cut short', async () => {
    const { files, dataDir } = await testFiles();
    const [lost, cut] = [await upload(files, 'lost'), await upload(files, 'cut short')];
    const pathOf = ({ file }: typeof lost) => join(dataDir, 'files', file.id.slice(2, 4), file.id);
    await files.disk.remove(lost.file.id);
    truncateSync(pathOf(cut), 3);
    await expect(read(files, lost.token)).rejects.toMatchObject({ code: 'file_gone' });
    await expect(read(files, cut.token)).rejects.toMatchObject({ code: 'file_gone' });
  });
});

describe('storage room', () => {
  it('is limited per account and in total, and is freed on expiry', async () => {
    const { files, events, clock } = await testFiles({ accountBytes: 1_000, totalBytes: 1_500 });
    await upload(files, Buffer.alloc(1_000));
    await expect(upload(files, 'x')).rejects.toMatchObject({ status: 507 });
    await upload(files, Buffer.alloc(500), 'acc_b');
    await expect(upload(files, 'x', 'acc_b')).rejects.toMatchObject({ code: 'storage_full' });
    expect(events.filter((event) => event === 'storage_full')).toHaveLength(2);
    clock.advance(DAY_MS);
    await sweep(files);
    await upload(files, Buffer.alloc(1_000));
  });

  it('is counted again at the next start', async () => {
    const tested = await testFiles({ accountBytes: 1_000 });
    await upload(tested.files, Buffer.alloc(999));
    const again = await tested.reopen();
    expect(again.ledger.totalBytes).toBe(999);
    await upload(again, 'x');
    await expect(upload(again, 'x')).rejects.toMatchObject({ code: 'storage_full' });
  });

  it('allows a limited number of concurrent uploads', async () => {
    const { files } = await testFiles();
    const narrow = { ...files, transfers: new Transfers(files.clock, { perOwner: 2, total: 4 }) };
    const gate = Promise.withResolvers<void>();
    async function* slow() {
      await gate.promise;
      yield Buffer.from('x');
    }
    const begin = (accountId: string) => receiveUpload(narrow, accountId, slow());
    const under = [begin('acc_a'), begin('acc_a'), begin('acc_b')];
    await expect(begin('acc_a')).rejects.toMatchObject({ status: 429 });
    await expect(begin('acc_b')).rejects.toMatchObject({ code: 'too_many_transfers' });
    gate.resolve();
    await Promise.all(under);
    await begin('acc_a');
  });

  it('is not wasted on files that an earlier process left behind', async () => {
    const tested = await testFiles();
    const { token, file } = await upload(tested.files, 'kept');
    const folder = join(tested.dataDir, 'files', 'or');
    mkdirSync(folder, { recursive: true });
    const orphan = join(folder, 'f_orphanorphanorphanorph');
    writeFileSync(orphan, 'nobody knows me');
    writeFileSync(join(tested.dataDir, 'files', 'incoming', 'f_halfhalfhalfhalfhalf'), 'half');
    const again = await tested.reopen();
    expect([onDisk(tested), existsSync(orphan)]).toEqual([[file.id], false]);
    expect(await read(again, token)).toBe('kept');
  });
});

describe('an upload slot', () => {
  const fill = (files: FileDomain, secret: string, bytes: string | Uint8Array) =>
    fillReserved(files, secret, async () => pieces(bytes));
  const reserve = (files: FileDomain) => reserveFile(files, 'acc_a', { name: 'r.txt', mime: 'text/plain' });

  it('accepts one file, once', async () => {
    const { files, clock } = await testFiles();
    const slot = await reserve(files);
    const { file, token } = await fill(files, slot.secret, 'hello');
    expect(file).toMatchObject({ id: slot.fileId, name: 'r.txt', mime: 'text/plain', sizeBytes: 5 });
    expect(file.expiresAt).toBe(new Date(Date.parse(clock.nowIso()) + DAY_MS).toISOString());
    expect(await read(files, token)).toBe('hello');
    await expect(fill(files, slot.secret, 'again')).rejects.toMatchObject({ code: 'file_not_found' });
    expect(await read(files, token)).toBe('hello');
  });

  it('is open for 5 minutes, in which the upload must start', async () => {
    const { files, clock } = await testFiles();
    const [late, slow] = [await reserve(files), await reserve(files)];
    clock.advance(5 * MINUTE_MS - 1);
    const gate = Promise.withResolvers<void>();
    const filling = fillReserved(files, slow.secret, async () => {
      await gate.promise;
      return pieces('slow');
    });
    clock.advance(10 * MINUTE_MS);
    await expect(fill(files, late.secret, 'late')).rejects.toMatchObject({ code: 'file_not_found' });
    await sweep(files);
    gate.resolve();
    expect(await read(files, (await filling).token)).toBe('slow');
  });

  it('accepts one upload at a time, and another one when that fails', async () => {
    const tested = await testFiles();
    const { files } = tested;
    const { secret } = await reserve(files);
    const gate = Promise.withResolvers<never>();
    const first = fillReserved(files, secret, () => gate.promise);
    await expect(fill(files, secret, 'second')).rejects.toMatchObject({ code: 'file_not_found' });
    gate.reject(new GatewayError('body_too_slow'));
    await expect(first).rejects.toMatchObject({ code: 'body_too_slow' });
    await expect(fill(files, secret, Buffer.alloc(MAX_BYTES + 1))).rejects.toMatchObject({ status: 413 });
    expect(onDisk(tested)).toEqual([]);
    await fill(files, secret, 'third');
  });

  it('leaves nothing behind when it is never filled', async () => {
    const { files, store, clock } = await testFiles();
    await reserve(files);
    clock.advance(30 * MINUTE_MS);
    await sweep(files);
    expect(await store.db.selectFrom('files').selectAll().execute()).toEqual([]);
  });

  it('stores no secret as plain text', async () => {
    const { files, store } = await testFiles();
    const { secret } = await reserve(files);
    const { token } = await upload(files, 'x');
    const rows = JSON.stringify(await store.db.selectFrom('files').selectAll().execute());
    expect([rows.includes(secret), rows.includes(token)]).toEqual([false, false]);
  });
});

describe('deleting an account', () => {
  it('deletes its files, and no others', async () => {
    const tested = await testFiles();
    const { files } = tested;
    for (let i = 0; i < 120; i++) await upload(files, `${i}`);
    const kept = await upload(files, 'kept', 'acc_b');
    await deleteAccountFiles(files, 'acc_a');
    expect(onDisk(tested)).toEqual([kept.file.id]);
    expect(files.ledger.totalBytes).toBe(4);
    expect(await read(files, kept.token)).toBe('kept');
  });
});

describe('a sweep for orphans', () => {
  it('makes disk and records match, and leaves alone what may be under way', async () => {
    const tested = await testFiles();
    const { files, store, clock, dataDir } = tested;
    const [kept, lost] = [await upload(files, 'kept'), await upload(files, 'lost')];
    const pathOf = (id: string) => join(dataDir, 'files', id.slice(2, 4), id);
    const orphans = { old: 'f_orphanorphanorphanorph', young: 'f_orphanorphanorphanyoung' };
    mkdirSync(join(dataDir, 'files', 'or'), { recursive: true });
    const twoHoursAgo = new Date(Date.now() - 120 * MINUTE_MS);
    for (const id of Object.values(orphans)) writeFileSync(pathOf(id), 'nobody knows me');
    utimesSync(pathOf(orphans.old), twoHoursAgo, twoHoursAgo);
    utimesSync(pathOf(kept.file.id), twoHoursAgo, twoHoursAgo);
    const unfinished = ['f_old', 'f_young'].map((name) => join(dataDir, 'files', 'incoming', name));
    for (const path of unfinished) writeFileSync(path, 'half');
    utimesSync(unfinished[0]!, twoHoursAgo, twoHoursAgo);
    rmSync(pathOf(lost.file.id));

    await sweepOrphans(files, () => false);
    expect(onDisk(tested).sort()).toEqual([orphans.young, 'f_young', kept.file.id].sort());
    expect(await countRows(store.db, 'files', {})).toBe(2);
    clock.advance(120 * MINUTE_MS);
    await sweepOrphans(files, () => false);
    expect(await countRows(store.db, 'files', {})).toBe(1);
    expect(await read(files, kept.token)).toBe('kept');
    expect(files.ledger.totalBytes).toBe('kept'.length);
  });
});
