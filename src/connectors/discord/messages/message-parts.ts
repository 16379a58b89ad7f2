import { hash } from 'node:crypto';
import { RESTJSONErrorCodes, Routes } from 'discord-api-types/v10';
import type { OutboundFile, OutboundMessage } from '../../contract/messenger.ts';
import { Multipart } from '../../kit/multipart.ts';
import type { SendRules } from '../../kit/sending.ts';
import { buttonsOf } from './buttons.ts';
import { toDiscord } from './discord-markdown.ts';

/** Discord's limits (https://docs.discord.com/developers/resources/message#create-message). */
const MAX_FILES = 10;
const NONCE_LENGTH = 25;

const TEXT_DEADLINE_MS = 8_000;
const UPLOAD_DEADLINE_MS = 120_000;
/** Delay after Discord could not be reached. */
export const RETRY_MS = 1_000;

/** Codes for people, channels and messages that can no longer be reached. */
const GONE: ReadonlySet<number> = new Set([
  RESTJSONErrorCodes.UnknownChannel,
  RESTJSONErrorCodes.UnknownUser,
  RESTJSONErrorCodes.MissingAccess,
  RESTJSONErrorCodes.CannotSendMessagesToThisUser,
  RESTJSONErrorCodes.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds,
]);

/**
 * A message of ten files at most. Its nonce follows from our message's id, so a part that is sent again, even by the next
 * process, shows up once.
 */
export interface Part {
  readonly nonce: string;
  readonly text: string;
  readonly files: readonly OutboundFile[];
  readonly replyTo?: string | undefined;
  readonly choices?: readonly string[] | undefined;
}

export function partsOf({
  messageId,
  text,
  attachments,
  replyTo,
  choices,
}: Pick<OutboundMessage, 'messageId' | 'text' | 'attachments' | 'replyTo' | 'choices'>): Part[] {
  const count = Math.max(1, Math.ceil(attachments.length / MAX_FILES));
  return Array.from({ length: count }, (_, n) => ({
    nonce: hash('sha256', `${messageId}/${n}`, 'base64url').slice(0, NONCE_LENGTH),
    text: n === 0 ? toDiscord(text) : '',
    files: attachments.slice(n * MAX_FILES, (n + 1) * MAX_FILES),
    ...(n === 0 && { replyTo, choices }),
  }));
}

/** Returns the request that posts a part. */
export function requestOf(channelId: string, { nonce, text, files, replyTo, choices }: Part) {
  const body = {
    ...(text === '' ? {} : { content: text }),
    nonce,
    enforce_nonce: true,
    // Agents repeat what people write: nobody must be able to make them call everyone.
    allowed_mentions: { parse: [] },
    ...(replyTo !== undefined && {
      message_reference: { message_id: replyTo, fail_if_not_exists: false },
    }),
    ...(choices && { components: buttonsOf(choices) }),
  };
  const path = Routes.channelMessages(channelId);
  if (files.length === 0) return { path, body, deadlineMs: TEXT_DEADLINE_MS };
  const attachments = files.map(({ name }, id) => ({ id, filename: name }));
  const fields = { payload_json: JSON.stringify({ ...body, attachments }) };
  const upload = new Multipart(fields, new Map(files.map((file, id) => [`files[${id}]`, file])));
  return { path, upload, deadlineMs: UPLOAD_DEADLINE_MS };
}

/** What becomes of a message whose part has failed: the others have nonces, too. */
export const SEND_RULES: SendRules = {
  retryMs: RETRY_MS,
  isGone: ({ code }) => GONE.has(Number(code)),
  dropsDuplicates: true,
};
