import * as z from 'zod';
import { GatewayError } from '../../base/errors.ts';
import { field } from '../../base/platform-json.ts';
import type { Reader } from '../../base/reading-time.ts';
import { Backoff, type Clock } from '../../base/time.ts';
import type { OutboundFile } from '../contract/messenger.ts';
import { Multipart } from '../kit/multipart.ts';
import { fileFound, PlatformFailure, platformFailure } from '../kit/platform-failure.ts';
import {
  type HttpAnswer,
  type CallOptions as HttpOptions,
  PlatformHttp,
  parsed,
} from '../kit/platform-http.ts';
import { PreparedFile } from './bot-api-types.ts';

/** Base URLs of the Bot API and of bots' files, without trailing slashes. */
export interface BotApiUrls {
  readonly api: string;
  readonly files: string;
}

/** Method parameters: strings, numbers and JSON values. */
export type Parameters = Readonly<Record<string, unknown>>;

export interface CallOptions extends Pick<HttpOptions, 'deadlineMs'>, Partial<Pick<HttpOptions, 'signal'>> {
  /** Files by the name that parameters refer to as `attach://<name>`. */
  readonly files?: ReadonlyMap<string, OutboundFile>;
}

/** A hundred updates have a few hundred kilobytes. */
const MAX_ANSWER_BYTES = 1_048_576;
const PREPARE_DEADLINE_MS = 20_000;
const DEFAULT_RETRY_S = 1;
/** Only these statuses concern a file; 401 concerns the bot. */
const GONE: ReadonlySet<number> = new Set([400, 404]);

/** Format of every token. The token is part of the URL path, so any other text could redirect the request. */
const TOKEN = /^[1-9]\d{0,19}:[\w-]{1,128}$/;

/** https://core.telegram.org/bots/api#making-requests */
const Answer = z.object({
  ok: field(z.boolean()),
  result: z.unknown().optional(),
  description: field(z.string()),
  parameters: field(
    z.object({ retry_after: field(z.coerce.number()), migrate_to_chat_id: field(z.coerce.bigint()) }),
  ),
});

/** The group has become a supergroup, which has another id. */
export class GroupMigrated extends PlatformFailure {
  readonly chatId: string;

  constructor(words: string, status: number, chatId: string) {
    super('refused', words, { status });
    this.chatId = chatId;
  }
}

/** Bot API client of one bot (https://core.telegram.org/bots/api#making-requests). */
export class BotApi {
  /** The bot's own id: the part of its token before the colon. */
  readonly botId: string;
  readonly #urls: BotApiUrls;
  readonly #token: string;
  readonly #http: PlatformHttp;

  /** `reader`: in whose time answers are read. Throws a PlatformFailure, like Telegram's own, when `token` is malformed. */
  constructor(urls: BotApiUrls, token: string, clock: Clock, reader: Reader) {
    if (!TOKEN.test(token)) throw refusal('Unauthorized', 401);
    this.botId = token.slice(0, token.indexOf(':'));
    this.#urls = urls;
    this.#token = token;
    this.#http = new PlatformHttp('Telegram', clock, MAX_ANSWER_BYTES, { readerOf: () => reader });
  }

  /** Calls a method and returns its result as parsed by `schema`. Rejects with a PlatformFailure. */
  async call<Schema extends z.ZodType>(
    method: string,
    parameters: Parameters,
    { files, ...options }: CallOptions,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const url = `${this.#urls.api}/bot${this.#token}/${method}`;
    const content = files?.size
      ? { upload: new Multipart(fieldsOf(parameters), files) }
      : { json: parameters };
    const answer = await this.#http.ask({ method: 'POST', url, ...content, ...options });
    return parsed(schema, resultIn(answer), `Telegram's answer to ${method} cannot be read`);
  }

  /** Opens the bytes of a received file. Rejects with GatewayError `file_gone` or `platform_failed`. */
  async openFile(fileId: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const options = { deadlineMs: PREPARE_DEADLINE_MS, signal };
    const preparing = this.call('getFile', { file_id: fileId }, options, PreparedFile);
    const { file_path: path } = await fileFound(preparing, ({ status }) => GONE.has(status));
    if (!isBelowRoot(path))
      throw new GatewayError('platform_failed', 'Telegram returned an invalid file path');
    const url = `${this.#urls.files}/bot${this.#token}/${encodeURI(path)}`;
    return await this.#http.openFile({ url, signal, gone: GONE });
  }
}

/** Classifies a rejection. */
export function failureOf(error: unknown): PlatformFailure {
  return platformFailure('Telegram', error);
}

/** Returns the result in an answer. Throws a PlatformFailure when the answer has none. */
function resultIn({ status, json }: HttpAnswer): unknown {
  const { data: answer } = Answer.safeParse(json);
  if (answer?.ok) return answer.result;
  const reason = answer?.description ?? `Telegram did not answer as expected (HTTP status ${status})`;
  if (status === 429) {
    const seconds = answer?.parameters?.retry_after ?? 0;
    const afterMs = (seconds > 0 ? seconds : DEFAULT_RETRY_S) * 1_000;
    throw new PlatformFailure('later', reason, { status, afterMs });
  }
  const chatId = answer?.parameters?.migrate_to_chat_id;
  if (chatId !== undefined) throw new GroupMigrated(reason, status, String(chatId));
  // What is not Telegram's answer, as of a proxy, says nothing about the token or a file.
  const known = answer === undefined ? 0 : status;
  // A restarting server, or a proxy in front of it, answers 500 to requests it may have carried out.
  throw status >= 400 && status < 500
    ? refusal(reason, known)
    : new PlatformFailure('unclear', reason, { status: known });
}

/** 401: the token is wrong or was revoked; 404: it is malformed. */
function refusal(words: string, status: number): PlatformFailure {
  return new PlatformFailure('refused', words, { status, isLoggedOut: status === 401 || status === 404 });
}

function fieldsOf(parameters: Parameters): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

/**
 * Whether a path is below the file root. A self-hosted server may return paths on its own disk, which cannot be
 * fetched.
 */
function isBelowRoot(path: string): boolean {
  return !/^\/|\\|[?#]|(?:^|\/)\.\.?(?:\/|$)/.test(path);
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** For a bot that has been logged out. */
const LOGGED_OUT_MS = 300_000;

/** Delays between requests of one bot that fail. */
export class Retries extends Backoff {
  constructor() {
    super(FIRST_RETRY_MS, LONGEST_RETRY_MS);
  }

  /** Returns the delay after a failure: at least as long as Telegram asks for. */
  after(failure: PlatformFailure): number {
    return Math.max(failure.afterMs, failure.isLoggedOut ? LOGGED_OUT_MS : this.next());
  }
}
