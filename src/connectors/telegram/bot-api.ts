import type * as z from 'zod';
import type { Clock } from '../../base/time.ts';
import { TimeLimit } from '../../base/time-limit.ts';
import type { OutboundFile } from '../contract/messenger.ts';
import { Multipart } from '../kit/multipart.ts';
import { BotApiFailure, failureOf, resultIn } from './bot-api-failure.ts';

/** Base URLs of the Bot API and of bots' files, without trailing slashes. */
export interface BotApiUrls {
  readonly api: string;
  readonly files: string;
}

/** Method parameters: strings, numbers and JSON values. */
export type Parameters = Readonly<Record<string, unknown>>;

export interface CallOptions {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
  /** Files by the name that parameters refer to as `attach://<name>`. */
  readonly files?: ReadonlyMap<string, OutboundFile>;
}

/** Deadline for the answer's first byte. The rest is limited only by the caller's signal. */
const DOWNLOAD_DEADLINE_MS = 20_000;

/** Format of every token. The token is part of the URL path, so any other text could redirect the request. */
const TOKEN = /^[1-9]\d{0,19}:[\w-]{1,128}$/;

/** Bot API client of one bot (https://core.telegram.org/bots/api#making-requests). */
export class BotApi {
  /** The bot's own id: the part of its token before the colon. */
  readonly botId: string;
  readonly #urls: BotApiUrls;
  readonly #token: string;
  readonly #clock: Clock;

  /** Throws a BotApiFailure, like Telegram's own, when `token` is malformed. */
  constructor(urls: BotApiUrls, token: string, clock: Clock) {
    if (!TOKEN.test(token)) throw new BotApiFailure('refused', 'Unauthorized', 401);
    this.botId = token.slice(0, token.indexOf(':'));
    this.#urls = urls;
    this.#token = token;
    this.#clock = clock;
  }

  /** Calls a method and returns its result as parsed by `schema`. Rejects with a BotApiFailure. */
  async call<Schema extends z.ZodType>(
    method: string,
    parameters: Parameters,
    options: CallOptions,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const { files, deadlineMs, signal } = options;
    if (signal?.aborted)
      throw new BotApiFailure('unreachable', 'The deadline passed before Telegram was asked');
    const upload = files?.size ? new Multipart(fieldsOf(parameters), files) : null;
    const limit = new TimeLimit(this.#clock, deadlineMs, { outer: signal });
    try {
      const response = await fetch(`${this.#urls.api}/bot${this.#token}/${method}`, {
        method: 'POST',
        redirect: 'error',
        signal: limit.signal,
        ...(upload
          ? { body: upload.body(), duplex: 'half' as const, headers: { 'Content-Type': upload.contentType } }
          : { body: JSON.stringify(parameters), headers: { 'Content-Type': 'application/json' } }),
      });
      return readResult(schema, resultIn(response.status, await response.text()), method);
    } catch (error) {
      throw failureOf(error, upload?.isWhole ?? true);
    } finally {
      limit.close();
    }
  }

  /** Opens a file prepared by `getFile`. Rejects with a BotApiFailure. */
  async download(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    if (!isBelowRoot(path)) throw new BotApiFailure('unclear', 'Telegram returned an invalid file path');
    const limit = new TimeLimit(this.#clock, DOWNLOAD_DEADLINE_MS, { outer: signal });
    try {
      const url = `${this.#urls.files}/bot${this.#token}/${encodeURI(path)}`;
      const response = await fetch(url, { redirect: 'error', signal: limit.signal });
      if (!response.ok || response.body === null) throw await refusal(response);
      limit.lift();
      return closing(response.body, limit);
    } catch (error) {
      limit.close();
      throw failureOf(error, true);
    }
  }
}

/** An unreadable result is `unclear`: the method may still have been carried out. */
function readResult<Schema extends z.ZodType>(schema: Schema, result: unknown, method: string) {
  const parsed = schema.safeParse(result);
  if (!parsed.success) throw new BotApiFailure('unclear', `Telegram's answer to ${method} cannot be read`);
  return parsed.data;
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

async function refusal(response: Response): Promise<BotApiFailure> {
  await response.body?.cancel();
  const isGone = response.status >= 400 && response.status < 500;
  return new BotApiFailure(isGone ? 'refused' : 'unclear', `HTTP status ${response.status}`, response.status);
}

async function* closing(body: AsyncIterable<Uint8Array>, limit: TimeLimit): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    limit.close();
  }
}
