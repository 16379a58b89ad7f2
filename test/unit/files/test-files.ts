import { join } from 'node:path';
import type { Platform } from '../../../src/base/platform.ts';
import { ReadingTime } from '../../../src/base/reading-time.ts';
import type { FetchesFiles } from '../../../src/connectors/contract/messenger.ts';
import type { FileDomain, FileEvent } from '../../../src/files/file-domain.ts';
import { openFiles } from '../../../src/files/open-files.ts';
import type { StorageLimits } from '../../../src/files/storage-ledger.ts';
import type { Store } from '../../../src/store/store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { seedAccount, temporaryDir, temporaryStore } from '../store/temporary.ts';

export const MAX_BYTES = 100_000;
export const PUBLIC_URL = 'https://gateway.test';
const ROOMY: StorageLimits = { accountBytes: 10 * MAX_BYTES, totalBytes: 100 * MAX_BYTES };

export interface TestFiles {
  readonly files: FileDomain;
  readonly store: Store;
  readonly clock: ManualClock;
  /** The folder of the database and the files. */
  readonly dataDir: string;
  readonly events: FileEvent[];
  /** The platform's own files, by `ref`. */
  readonly platform: FakePlatform;
  /** The same files as found by a new process. */
  reopen(): Promise<FileDomain>;
}

/** The files of two accounts, `acc_a` and `acc_b`, over a real database and a real folder. */
export async function testFiles(limits: Partial<StorageLimits> = {}): Promise<TestFiles> {
  const dataDir = temporaryDir();
  const store = await temporaryStore(dataDir);
  await seedAccount(store, 'a');
  await seedAccount(store, 'b');
  const clock = new ManualClock();
  const events: FileEvent[] = [];
  const platform = new FakePlatform();
  const reopen = () =>
    openFiles(
      { dir: join(dataDir, 'files'), limits: { ...ROOMY, ...limits }, trusted: ['127.0.0.0/8'] },
      {
        store,
        clock,
        readingTime: new ReadingTime(clock),
        maxBytes: MAX_BYTES,
        publicUrl: () => PUBLIC_URL,
        fetcher: (name: Platform) => (name === 'telegram' ? platform : undefined),
        count: (event) => events.push(event),
      },
    );
  return { files: await reopen(), store, clock, dataDir, events, platform, reopen };
}

/** Files on a platform, served as a test defines. */
export class FakePlatform implements FetchesFiles {
  readonly asked: unknown[] = [];
  /** The answer for a `ref`; throws if there is none. */
  answer: (ref: string) => Promise<AsyncIterable<Uint8Array>> = async (ref) => pieces(`bytes of ${ref}`);

  fetchFile(...[login, ref]: Parameters<FetchesFiles['fetchFile']>): Promise<AsyncIterable<Uint8Array>> {
    this.asked.push([login, ref]);
    return this.answer(ref);
  }
}

/** Texts or bytes in pieces. */
export async function* pieces(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part;
}

export async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
