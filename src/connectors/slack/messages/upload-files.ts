import * as z from 'zod';
import type { OutboundFile } from '../../contract/messenger.ts';
import type { CallOptions, SlackApi } from '../web-api/slack-api.ts';
import { UploadAnswer } from '../web-api/slack-objects.ts';

const UPLOAD_DEADLINE_MS = 120_000;
const CALL_DEADLINE_MS = 20_000;

/** A file that Slack has, but shows nobody yet. */
export interface UploadedFile {
  readonly id: string;
  readonly title: string;
}

/** Where and with which text files are shown. */
export interface FilePlace {
  readonly channel: string;
  readonly thread: string | undefined;
  /** In mrkdwn; '' for none. */
  readonly text: string;
}

/** Uploads files one by one (https://docs.slack.dev/messaging/working-with-files). Rejects with a SlackFailure. */
export async function uploadFiles(
  api: SlackApi,
  files: readonly OutboundFile[],
  signal: AbortSignal,
): Promise<UploadedFile[]> {
  const uploaded: UploadedFile[] = [];
  for (const file of files) {
    const args = { filename: file.name, length: file.sizeBytes };
    const options = { deadlineMs: CALL_DEADLINE_MS, signal };
    const slot = await api.call('files.getUploadURLExternal', args, options, UploadAnswer);
    await api.upload(slot.upload_url, file, { deadlineMs: UPLOAD_DEADLINE_MS, signal });
    uploaded.push({ id: slot.file_id, title: file.name });
  }
  return uploaded;
}

/** Shows uploaded files in one message, whose id Slack does not tell. Returns the files' ids instead. */
export async function shareFiles(
  api: SlackApi,
  files: readonly UploadedFile[],
  { channel, thread, text }: FilePlace,
  options: CallOptions,
): Promise<string[]> {
  const args = {
    files,
    channel_id: channel,
    thread_ts: thread,
    initial_comment: text === '' ? undefined : text,
  };
  await api.call('files.completeUploadExternal', args, options, z.unknown());
  return files.map(({ id }) => id);
}
