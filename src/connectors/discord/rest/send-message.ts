import { hash } from 'node:crypto';
import { Routes } from 'discord-api-types/v10';
import * as z from 'zod';
import type { OutboundFile, OutboundMessage, SendOutcome } from '../../contract/messenger.ts';
import { Multipart } from '../../kit/multipart.ts';
import { DiscordFailure } from './discord-failure.ts';
import { Snowflake } from './discord-objects.ts';
import type { Request, RestClient } from './rest-client.ts';

/** Discord's limits (https://docs.discord.com/developers/resources/message#create-message). */
const MAX_FILES = 10;
const NONCE_LENGTH = 25;

const TEXT_DEADLINE_MS = 8_000;
const UPLOAD_DEADLINE_MS = 120_000;
/** A request without an answer is repeated: Discord returns the first message for a nonce that it knows. */
const MAX_TRIES = 3;
const RETRY_MS = 1_000;

const Sent = z.object({ id: Snowflake });

type Outbound = Pick<OutboundMessage, 'messageId' | 'text' | 'attachments'>;

/**
 * Sends one message, or several if it has more than ten files. Every part has a nonce that follows from our message's
 * id, so a part that is sent again, even by the next process, shows up once.
 */
export async function sendMessage(
  client: RestClient,
  channelId: string,
  message: Outbound,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const sentIds: string[] = [];
  for (const part of partsOf(message)) {
    try {
      sentIds.push(await sendPart(client, channelId, part, signal));
    } catch (error) {
      if (!(error instanceof DiscordFailure)) throw error;
      return outcomeOf(error, sentIds);
    }
  }
  return { kind: 'sent', platformMessageIds: sentIds };
}

interface Part {
  readonly nonce: string;
  readonly text: string;
  readonly files: readonly OutboundFile[];
}

function partsOf({ messageId, text, attachments }: Outbound): Part[] {
  const count = Math.max(1, Math.ceil(attachments.length / MAX_FILES));
  return Array.from({ length: count }, (_, n) => ({
    nonce: hash('sha256', `${messageId}/${n}`, 'base64url').slice(0, NONCE_LENGTH),
    text: n === 0 ? text : '',
    files: attachments.slice(n * MAX_FILES, (n + 1) * MAX_FILES),
  }));
}

async function sendPart(
  client: RestClient,
  channelId: string,
  part: Part,
  signal: AbortSignal,
): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      return (await client.ask(Sent, requestOf(channelId, part), signal)).id;
    } catch (error) {
      const isUnclear = error instanceof DiscordFailure && error.kind === 'unclear';
      if (!isUnclear || tries === MAX_TRIES || signal.aborted) throw error;
      await client.pause(RETRY_MS, signal);
    }
  }
}

function requestOf(channelId: string, { nonce, text, files }: Part): Request {
  const body = {
    ...(text === '' ? {} : { content: text }),
    nonce,
    enforce_nonce: true,
    // Agents repeat what people write: nobody must be able to make them call everyone.
    allowed_mentions: { parse: [] },
  };
  const path = Routes.channelMessages(channelId);
  if (files.length === 0) return { method: 'POST', path, body, deadlineMs: TEXT_DEADLINE_MS };
  const attachments = files.map(({ name }, id) => ({ id, filename: name }));
  const fields = { payload_json: JSON.stringify({ ...body, attachments }) };
  const upload = new Multipart(fields, new Map(files.map((file, id) => [`files[${id}]`, file])));
  return { method: 'POST', path, upload, deadlineMs: UPLOAD_DEADLINE_MS };
}

/** Returns the outcome of a message of which these parts have arrived. */
export function outcomeOf(failure: DiscordFailure, sentIds: readonly string[]): SendOutcome {
  const { kind, message: reason, afterMs, isGone } = failure;
  // Parts that have arrived are not shown again when the whole message is sent later.
  if (kind === 'later' || kind === 'unreachable')
    return { kind: 'later', reason, afterMs: kind === 'later' ? afterMs : RETRY_MS };
  if (sentIds.length > 0 || kind === 'unclear') return { kind: 'unknown', reason, sentIds };
  return { kind: 'refused', reason, isAddressGone: isGone };
}
