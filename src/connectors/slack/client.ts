import * as z from 'zod';
import { GatewayError } from '../../base/errors.ts';
import { field } from '../../base/platform-json.ts';
import { type Clock, withDeadline } from '../../base/time.ts';
import type { OutboundFile } from '../contract/messenger.ts';
import type { ConnectionTokens } from '../contract/oauth.ts';
import {
  type FailureFacts,
  type FailureKind,
  fileFound,
  PlatformFailure,
  platformFailure,
} from '../kit/platform-failure.ts';
import {
  type CallOptions,
  fileUpload,
  type HttpAnswer,
  hasOrigin,
  PlatformHttp,
  parsed,
} from '../kit/platform-http.ts';
import { FileAnswer, isGone, UploadAnswer } from './objects.ts';

/** Where Slack is, without trailing slashes. */
export interface SlackUrls {
  /** Of the Web API, for example `https://slack.com/api`. */
  readonly api: string;
  /** Of files. Only this host and the API get tokens and files. */
  readonly files: string;
}

/** The token that requests are made with. Rejections are PlatformFailures. */
export interface AccessToken {
  current(): Promise<string>;
  /** Returns another token to try once, after Slack refused this one; null: there is none. */
  replaced(refused: string): Promise<string | null>;
}

/** Arguments of a method. Lists and objects are sent as JSON; undefined ones are left out. */
type Arguments = Readonly<Record<string, unknown>>;

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

/** https://docs.slack.dev/apis/web-api/#responses */
const Answer = z.looseObject({
  ok: z.boolean(),
  error: field(z.string()),
  needed: field(z.string()),
  response_metadata: field(z.object({ messages: field(z.array(z.string())) })),
});

/** Slack's words for failures that pass. Nothing was done. */
const PASSING: ReadonlySet<string> = new Set([
  'ratelimited',
  'rate_limited',
  'service_unavailable',
  'team_added_to_org',
  'request_timeout',
]);
/** "It's possible some aspect of the operation succeeded before the error was raised." */
const UNCLEAR: ReadonlySet<string> = new Set(['fatal_error', 'internal_error']);
/** Slack's words for a file that does not exist, or no longer. */
const GONE: ReadonlySet<string> = new Set(['file_not_found', 'file_deleted']);
/** Slack's word for a token that can be replaced by its refresh token. */
const EXPIRED = 'token_expired';
/** Slack's words, and the gateway's, for a token that Slack does not accept, or no longer. */
const LOGIN_ERRORS: ReadonlySet<string> = new Set([
  'invalid_auth',
  'not_authed',
  'not_allowed_token_type',
  'account_inactive',
  'token_revoked',
  EXPIRED,
  'org_login_required',
  'team_access_not_granted',
  'connection_lost',
]);

/** Format of every token: the header takes nothing else. */
const TOKEN = /^x(?:ox|app-)[\w.-]{1,500}$/;
const HTML = /^text\/html\b/i;
const DEFAULT_RETRY_MS = 1_000;
const FILE_DEADLINE_MS = 20_000;
const UPLOAD_DEADLINE_MS = 120_000;

/** Client of the Web API with one bot's token (https://docs.slack.dev/apis/web-api/). */
export class SlackApi {
  readonly #urls: SlackUrls;
  readonly #token: AccessToken;
  readonly #clock: Clock;
  readonly #http: PlatformHttp;

  constructor(urls: SlackUrls, token: AccessToken, clock: Clock) {
    this.#urls = urls;
    this.#token = token;
    this.#clock = clock;
    this.#http = new PlatformHttp('Slack', clock);
  }

  /**
   * Calls a method and returns its answer as parsed by `schema`. Arguments go as a form, which every method takes. Rejects
   * with a PlatformFailure.
   */
  async call<Schema extends z.ZodType>(
    method: string,
    args: Arguments,
    { deadlineMs, signal }: CallOptions,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const result = await withDeadline(this.#clock, deadlineMs, signal, async (limit) => {
      const token = await this.#token.current();
      return await this.#ask(method, args, token, limit).catch(async (error: unknown) => {
        const other = failureOf(error).code === EXPIRED ? await this.#token.replaced(token) : null;
        if (other === null) throw error;
        return await this.#ask(method, args, other, limit);
      });
    });
    return parsed(schema, result, `Slack's answer to ${method} cannot be read`);
  }

  /**
   * Uploads files one by one (https://docs.slack.dev/messaging/working-with-files). Rejects with a PlatformFailure.
   */
  async uploadFiles(files: readonly OutboundFile[], signal: AbortSignal): Promise<UploadedFile[]> {
    const uploaded: UploadedFile[] = [];
    for (const file of files) {
      const args = { filename: file.name, length: file.sizeBytes };
      const options = { deadlineMs: FILE_DEADLINE_MS, signal };
      const slot = await this.call('files.getUploadURLExternal', args, options, UploadAnswer);
      await this.#upload(slot.upload_url, file, signal);
      uploaded.push({ id: slot.file_id, title: file.name });
    }
    return uploaded;
  }

  /** Shows uploaded files in one message, whose id Slack does not tell. Returns the files' ids instead. */
  async shareFiles(
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
    await this.call('files.completeUploadExternal', args, options, z.unknown());
    return files.map(({ id }) => id);
  }

  /** Opens the bytes of a received file. Rejects with GatewayError `file_gone` or `platform_failed`. */
  async openFile(fileId: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    return await fileFound(this.#openFile(fileId, signal), ({ code }) => GONE.has(code));
  }

  async #openFile(fileId: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const options = { deadlineMs: FILE_DEADLINE_MS, signal };
    const { file } = await this.call('files.info', { file: fileId }, options, FileAnswer);
    const url = file.url_private_download ?? file.url_private;
    if (isGone(file) || url === undefined) throw new GatewayError('file_gone');
    this.#requireSlack(url, 'the file');
    const headers = authorized(await this.#token.current());
    // Slack answers a bot that may not read a file with a page to sign in, and status 200.
    const instead = (type: string) =>
      HTML.test(type) && !HTML.test(file.mimetype ?? '')
        ? 'a page to sign in instead of the file: the app needs files:read'
        : null;
    return await this.#http.openFile({ url, headers, signal, instead });
  }

  /** Sends a file's bytes to an address that Slack has given for it. */
  async #upload(href: string, file: OutboundFile, signal: AbortSignal): Promise<void> {
    this.#requireSlack(href, 'the upload');
    const upload = fileUpload(file);
    const request = { method: 'POST', url: href, upload, deadlineMs: UPLOAD_DEADLINE_MS, signal } as const;
    const { isOk, status } = await this.#http.ask(request);
    if (!isOk) throw new PlatformFailure('unclear', `the upload got HTTP status ${status}`);
  }

  async #ask(method: string, args: Arguments, token: string, signal: AbortSignal): Promise<unknown> {
    const url = `${this.#urls.api}/${method}`;
    const headers = authorized(token);
    return resultIn(await this.#http.ask({ method: 'POST', url, headers, body: formOf(args), signal }));
  }

  /** Anyone with the token could write in the bot's name. */
  #requireSlack(href: string, what: string): void {
    if (!hasOrigin(href, this.#urls.files))
      throw new PlatformFailure('refused', `Slack gave an unknown host for ${what}`);
  }
}

/** A token that stays the same. Throws a PlatformFailure, like Slack's own, when it is malformed. */
export function fixedToken(token: string): AccessToken {
  if (!TOKEN.test(token)) throw slackFailure('refused', 'invalid_auth', { code: 'invalid_auth' });
  return { current: async () => token, replaced: async () => null };
}

/** The token of a connection, which expires where the app rotates its tokens. */
export function connectionToken(tokens: ConnectionTokens, connectionId: string): AccessToken {
  return {
    current: async () => await tokens.accessToken(connectionId).catch(noToken),
    replaced: async (refused) => await tokens.refused(connectionId, refused).catch(noToken),
  };
}

/** Whether a word of Slack's says nothing about the request itself: asking again may help. */
export function isPassing(word: string): boolean {
  return PASSING.has(word) || UNCLEAR.has(word);
}

/** Classifies a rejection. The code of a failure is Slack's word for the error, such as `channel_not_found`. */
export function failureOf(error: unknown): PlatformFailure {
  return platformFailure('Slack', error);
}

function noToken(error: unknown): never {
  const { code, message } = error instanceof GatewayError ? error : new GatewayError('platform_failed');
  throw code === 'platform_failed'
    ? slackFailure('unreachable', message)
    : slackFailure('refused', message, { code });
}

function slackFailure(kind: FailureKind, words: string, facts: FailureFacts = {}): PlatformFailure {
  const isLoggedOut = kind === 'refused' && LOGIN_ERRORS.has(facts.code ?? '');
  return new PlatformFailure(kind, words, { ...facts, isLoggedOut });
}

/** Returns Slack's answer. Throws a PlatformFailure when it is not `ok`. */
function resultIn({ status, json, retryAfterMs }: HttpAnswer): unknown {
  const { data: answer } = Answer.safeParse(json);
  const code = answer?.error ?? '';
  // https://docs.slack.dev/apis/web-api/rate-limits
  if (status === 429 || PASSING.has(code))
    throw slackFailure('later', code || 'ratelimited', { code, afterMs: retryAfterMs || DEFAULT_RETRY_MS });
  if (answer?.ok) return answer;
  if (answer === undefined || UNCLEAR.has(code) || status >= 500)
    throw slackFailure('unclear', code || `HTTP status ${status} without a readable answer`, { code });
  throw slackFailure('refused', wordsOf(answer), { code });
}

/** Slack's word, with the scope that is missing or the arguments that it did not like. */
function wordsOf({ error, needed, response_metadata: more }: z.output<typeof Answer>): string {
  const details = needed === undefined ? (more?.messages ?? []) : [`needed: ${needed}`];
  const words = error ?? 'no reason given';
  return details.length === 0 ? words : `${words} (${details.join('; ')})`;
}

function authorized(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

function formOf(args: Arguments): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(args))
    if (value !== undefined) form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return form;
}
