import { MAX_INBOUND_FILES } from '../../../base/attachment-stubs.ts';
import type { InboundFile } from '../../contract/messenger.ts';
import type { SlackApi } from '../client.ts';
import { FileAnswer, isGone, SlackFile } from '../objects.ts';

/** Of a file that was recorded in Slack (https://github.com/openclaw/openclaw/pull/14941). */
const VOICE_NOTE = 'slack_audio';
/** Slack waits for the acknowledgement of the event meanwhile. */
const INFO_DEADLINE_MS = 1_500;

/** Returns a line for each file that is no longer there: it was deleted, or is hidden by a limit of Slack's. */
export function goneFiles(files: readonly unknown[]): readonly string[] {
  return files
    .slice(0, MAX_INBOUND_FILES)
    .flatMap((file) => SlackFile.safeParse(file).data ?? [])
    .filter(isGone)
    .map(({ name, title }) => `[file that is gone${name || title ? `: ${name || title}` : ''}]`);
}

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
      .filter((file) => !isGone(file))
      .map(async (file) => inboundFile(await completed(api, file, signal))),
  );
}

/** Files of other workspaces come without name and size. */
async function completed(api: SlackApi, file: SlackFile, signal: AbortSignal): Promise<SlackFile> {
  if (file.file_access !== 'check_file_info') return file;
  const options = { deadlineMs: INFO_DEADLINE_MS, signal };
  const answer = api.call('files.info', { file: file.id }, options, FileAnswer);
  return await answer.then((told) => told.file).catch(() => file);
}

function inboundFile({ id, name, title, mimetype, size, subtype }: SlackFile): InboundFile {
  const isVoiceNote = subtype === VOICE_NOTE;
  const mime = mimetype || 'application/octet-stream';
  return {
    name: name || title || id,
    // Slack calls recordings of sound videos, too.
    mime: isVoiceNote ? mime.replace(/^video\//, 'audio/') : mime,
    sizeBytes: size ?? null,
    ref: id,
    ...(isVoiceNote && { isVoiceNote }),
  };
}
