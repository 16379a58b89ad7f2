import { GatewayError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time.ts';
import { TimeLimit } from '../../../base/time-limit.ts';
import { CODES, DiscordFailure } from '../rest/discord-failure.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';

/** Deadline for the answer's first byte. The rest is limited only by the caller's signal. */
const DOWNLOAD_DEADLINE_MS = 20_000;
const REF = /^(\d{1,20})\/(\d{1,20})\/(\d{1,20})$/;
const GONE_CODES: ReadonlySet<number> = new Set([
  CODES.unknownChannel,
  CODES.unknownMessage,
  CODES.missingAccess,
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
  if (!URL.canParse(url) || new URL(url).origin !== new URL(cdnUrl).origin)
    throw new GatewayError('platform_failed', 'Discord named an unusable address of the file');
  const limit = new TimeLimit(clock, DOWNLOAD_DEADLINE_MS, { outer: signal });
  try {
    const answer = await fetch(url, { redirect: 'error', signal: limit.signal });
    if (!answer.ok || answer.body === null) throw await refusal(answer);
    limit.lift();
    return closing(answer.body, limit);
  } catch (error) {
    limit.close();
    throw error instanceof GatewayError ? error : new GatewayError('platform_failed');
  }
}

async function urlOf(rest: AttachmentSource['rest'], ref: string, signal: AbortSignal): Promise<string> {
  const [, channelId, messageId, attachmentId] = REF.exec(ref) ?? [];
  if (channelId === undefined || messageId === undefined) throw new GatewayError('file_gone');
  try {
    const { attachments } = await rest.message(channelId, messageId, signal);
    const file = attachments?.find(({ id }) => id === attachmentId);
    if (file === undefined) throw new GatewayError('file_gone');
    return file.url;
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    const isGone = error.kind === 'refused' && GONE_CODES.has(error.code);
    throw isGone ? new GatewayError('file_gone') : new GatewayError('platform_failed', error.message);
  }
}

async function refusal(answer: Response): Promise<GatewayError> {
  await answer.body?.cancel();
  return new GatewayError(answer.status === 404 || answer.status === 410 ? 'file_gone' : 'platform_failed');
}

async function* closing(body: AsyncIterable<Uint8Array>, limit: TimeLimit): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    limit.close();
  }
}
