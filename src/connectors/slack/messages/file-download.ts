import { GatewayError } from '../../../base/errors.ts';
import type { SlackApi } from '../web-api/slack-api.ts';
import { failureOf } from '../web-api/slack-failure.ts';
import { FileAnswer, type SlackFile } from '../web-api/slack-objects.ts';
import { isGone } from './inbound-files.ts';

const INFO_DEADLINE_MS = 20_000;
const HTML = /^text\/html\b/i;
/** Slack's words for a file that does not exist, or no longer. */
const GONE: ReadonlySet<string> = new Set(['file_not_found', 'file_deleted']);

/** Opens the bytes of a received file. Rejects with GatewayError `file_gone` or `platform_failed`. */
export async function downloadFile(
  api: SlackApi,
  fileId: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const file = await fileInfo(api, fileId, signal);
  const href = file.url_private_download ?? file.url_private;
  if (isGone(file.mode) || href === undefined) throw new GatewayError('file_gone');
  try {
    const { status, type, body } = await api.download(href, signal);
    if (status === 200 && !isLoginPage(type, file)) return body;
    await body.return(undefined);
    if (status === 404 || status === 410) throw new GatewayError('file_gone');
    const what =
      status === 200
        ? 'a page to sign in instead of the file: the app needs files:read'
        : `HTTP status ${status}`;
    throw new GatewayError('platform_failed', `Slack answered with ${what}`);
  } catch (error) {
    throw error instanceof GatewayError
      ? error
      : new GatewayError('platform_failed', failureOf(error).message);
  }
}

async function fileInfo(api: SlackApi, fileId: string, signal: AbortSignal): Promise<SlackFile> {
  try {
    const options = { deadlineMs: INFO_DEADLINE_MS, signal };
    return (await api.call('files.info', { file: fileId }, options, FileAnswer)).file;
  } catch (error) {
    const { word, message } = failureOf(error);
    throw GONE.has(word) ? new GatewayError('file_gone') : new GatewayError('platform_failed', message);
  }
}

/** Slack answers a bot that may not read a file with a sign-in page, and status 200. */
function isLoginPage(type: string, { mimetype }: SlackFile): boolean {
  return HTML.test(type) && !HTML.test(mimetype ?? '');
}
