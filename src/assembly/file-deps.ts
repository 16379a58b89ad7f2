import { join } from 'node:path';
import type { Platform } from '../base/platform.ts';
import type { Connector } from '../connectors/contract/connector.ts';
import type { FileDomain } from '../files/file-domain.ts';
import { FileSweeper } from '../files/file-sweeper.ts';
import { openFiles } from '../files/open-files.ts';
import type { PartDeps } from './gateway-deps.ts';

/** Creates the file domain and the sweeper that deletes old files once it is started. */
export async function openFileStorage(
  { settings, clock, store, closers, metrics, events, publicUrl }: PartDeps,
  connectors: ReadonlyMap<Platform, Connector>,
): Promise<{ readonly files: FileDomain; readonly sweeper: FileSweeper }> {
  const { maxBytes, fetchAllow: trusted, ...limits } = settings.files;
  const files = await openFiles(
    { dir: join(settings.dataDir, 'files'), limits, trusted },
    {
      store,
      clock,
      maxBytes,
      publicUrl,
      fetcher: (platform) => connectors.get(platform)?.provides.messenger?.files,
      count: (event) => metrics.fileEvent(event),
    },
  );
  metrics.watchFileBytes(() => files.ledger.totalBytes);
  const sweeper = new FileSweeper(files, (error) => events.writeFailed('expired files', error));
  closers.push(() => sweeper.close());
  return { files, sweeper };
}
