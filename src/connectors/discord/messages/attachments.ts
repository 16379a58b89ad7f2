import { RESTJSONErrorCodes } from 'discord-api-types/v10';
import { GatewayError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time.ts';
import { fileFound } from '../../kit/platform-failure.ts';
import { hasOrigin, PlatformHttp } from '../../kit/platform-http.ts';
import type { DiscordRest } from '../client.ts';
import { attachmentsOf } from './message-content.ts';

const REF = /^(\d{1,20})\/(\d{1,20})\/(\d{1,20})$/;
const GONE_CODES: ReadonlySet<number> = new Set([
  RESTJSONErrorCodes.UnknownChannel,
  RESTJSONErrorCodes.UnknownMessage,
  RESTJSONErrorCodes.MissingAccess,
]);

export interface AttachmentSource {
  readonly rest: Pick<DiscordRest, 'message'>;
  /** The only origin that files are downloaded from. */
  readonly cdnUrl: string;
  readonly clock: Clock;
}

/**
 * Opens a received file at the URL that its message has now. Rejects with GatewayError `file_gone` or
 * `platform_failed`.
 */
export async function openAttachment(
  { rest, cdnUrl, clock }: AttachmentSource,
  ref: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const url = await urlOf(rest, ref, signal);
  if (!hasOrigin(url, cdnUrl))
    throw new GatewayError('platform_failed', 'Discord named an unusable address of the file');
  return await new PlatformHttp('Discord', clock).openFile({ url, signal });
}

async function urlOf(rest: AttachmentSource['rest'], ref: string, signal: AbortSignal): Promise<string> {
  const [, channelId, messageId, attachmentId] = REF.exec(ref) ?? [];
  if (channelId === undefined || messageId === undefined) throw new GatewayError('file_gone');
  const asked = rest.message(channelId, messageId, signal);
  const message = await fileFound(asked, ({ code }) => GONE_CODES.has(Number(code)));
  const file = attachmentsOf(message).find(({ id }) => id === attachmentId);
  if (file === undefined) throw new GatewayError('file_gone');
  return file.url;
}
