import { MAX_INBOUND_FILES } from '../../../base/attachment-stubs.ts';
import type { InboundFile } from '../../contract/messenger.ts';
import type { SlackApi } from '../web-api/slack-api.ts';
import { FileAnswer, SlackFile } from '../web-api/slack-objects.ts';

/** Slack waits for the acknowledgement of the event meanwhile. */
const INFO_DEADLINE_MS = 1_500;

/** Modes of files that are no longer there: deleted, or hidden by the limits of a free plan. */
const GONE_MODES: ReadonlySet<string> = new Set(['tombstone', 'hidden_by_limit']);

/** Returns the files of a message. Never rejects: what Slack does not tell of a file now is left open. */
export async function inboundFiles(
  api: SlackApi,
  files: readonly unknown[],
  signal: AbortSignal,
): Promise<InboundFile[]> {
  // One more than are kept, which says that there were more. Anybody with an app may name thousands.
  const few = files.slice(0, MAX_INBOUND_FILES + 1);
  const known = few.flatMap((file) => SlackFile.safeParse(file).data ?? []);
  return await Promise.all(
    known
      .filter(({ mode }) => !isGone(mode))
      .map(async (file) => inboundFile(await completed(api, file, signal))),
  );
}

export function isGone(mode: string | undefined): boolean {
  return mode !== undefined && GONE_MODES.has(mode);
}

/** Files of other workspaces come without name and size. */
async function completed(api: SlackApi, file: SlackFile, signal: AbortSignal): Promise<SlackFile> {
  if (file.file_access !== 'check_file_info') return file;
  const options = { deadlineMs: INFO_DEADLINE_MS, signal };
  const answer = api.call('files.info', { file: file.id }, options, FileAnswer);
  return await answer.then((told) => told.file).catch(() => file);
}

function inboundFile({ id, name, title, mimetype, size }: SlackFile): InboundFile {
  return {
    name: name || title || id,
    mime: mimetype || 'application/octet-stream',
    sizeBytes: size ?? null,
    ref: id,
  };
}
