import type * as z from 'zod';
import { readAnswer } from '../../../base/answer-body.ts';
import type { Clock } from '../../../base/time.ts';
import { TimeLimit } from '../../../base/time-limit.ts';
import type { OutboundFile } from '../../contract/messenger.ts';
import type { AccessToken } from './access-token.ts';
import { resultIn } from './slack-answer.ts';
import { failureOf, SlackFailure } from './slack-failure.ts';

/** Where Slack is, without trailing slashes. */
export interface SlackUrls {
  /** Of the Web API, for example `https://slack.com/api`. */
  readonly api: string;
  /** Of files. Only this host and the API get tokens and files. */
  readonly files: string;
}

/** Arguments of a method. Lists and objects are sent as JSON; undefined ones are left out. */
export type Arguments = Readonly<Record<string, unknown>>;

export interface CallOptions {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

export interface Download {
  readonly status: number;
  /** Content-Type; '' without one. */
  readonly type: string;
  readonly body: AsyncGenerator<Uint8Array>;
}

const ANSWER_LIMIT_BYTES = 1_048_576;
const USER_AGENT = 'voice-chat-gateway';
/** Slack's word for a token that can be replaced by its refresh token. */
const EXPIRED = 'token_expired';
/** Deadline for the answer's first byte. The rest is limited only by the caller's signal. */
const DOWNLOAD_DEADLINE_MS = 20_000;

/** Client of the Web API with one bot's token (https://docs.slack.dev/apis/web-api/). Rejections are SlackFailures. */
export class SlackApi {
  readonly #urls: SlackUrls;
  readonly #token: AccessToken;
  readonly #clock: Clock;

  constructor(urls: SlackUrls, token: AccessToken, clock: Clock) {
    this.#urls = urls;
    this.#token = token;
    this.#clock = clock;
  }

  /** Calls a method and returns its answer as parsed by `schema`. Arguments go as a form, which every method takes. */
  async call<Schema extends z.ZodType>(
    method: string,
    args: Arguments,
    { deadlineMs, signal }: CallOptions,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const limit = new TimeLimit(this.#clock, deadlineMs, { outer: signal });
    try {
      const token = await this.#token.current();
      const result = await this.#ask(method, args, token, limit.signal).catch(async (error: unknown) => {
        const other = failureOf(error).word === EXPIRED ? await this.#token.replaced(token) : null;
        if (other === null) throw error;
        return await this.#ask(method, args, other, limit.signal);
      });
      return read(schema, result, method);
    } catch (error) {
      throw failureOf(error);
    } finally {
      limit.close();
    }
  }

  /** Sends a file's bytes to an address that Slack has given for it. */
  async upload(href: string, file: OutboundFile, { deadlineMs, signal }: CallOptions): Promise<void> {
    if (!this.#isOfSlack(href))
      throw new SlackFailure('refused', 'Slack gave an unknown host for the upload');
    const limit = new TimeLimit(this.#clock, deadlineMs, { outer: signal });
    try {
      const answer = await fetch(href, {
        method: 'POST',
        redirect: 'error',
        signal: limit.signal,
        body: ReadableStream.from(file.open()),
        duplex: 'half',
        headers: {
          'content-type': 'application/octet-stream',
          'content-length': `${file.sizeBytes}`,
          'user-agent': USER_AGENT,
        },
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new SlackFailure('unclear', `the upload got HTTP status ${answer.status}`);
    } catch (error) {
      throw failureOf(error);
    } finally {
      limit.close();
    }
  }

  /** Opens a file of Slack's, whatever its status and type. */
  async download(href: string, signal: AbortSignal): Promise<Download> {
    // Anyone with the token could write in the bot's name.
    if (!this.#isOfSlack(href)) throw new SlackFailure('refused', 'Slack gave an unknown host for the file');
    const limit = new TimeLimit(this.#clock, DOWNLOAD_DEADLINE_MS, { outer: signal });
    try {
      const headers = headersWith(await this.#token.current());
      const answer = await fetch(href, { headers, redirect: 'error', signal: limit.signal });
      limit.lift();
      const type = answer.headers.get('content-type') ?? '';
      return { status: answer.status, type, body: closing(answer.body ?? ReadableStream.from([]), limit) };
    } catch (error) {
      limit.close();
      throw failureOf(error);
    }
  }

  async #ask(method: string, args: Arguments, token: string, signal: AbortSignal): Promise<unknown> {
    if (signal.aborted) throw new SlackFailure('unreachable', 'The deadline passed before Slack was asked');
    const answer = await fetch(`${this.#urls.api}/${method}`, {
      method: 'POST',
      headers: headersWith(token),
      body: formOf(args),
      redirect: 'error',
      signal,
    });
    const bytes = await readAnswer(answer, ANSWER_LIMIT_BYTES);
    return resultIn(answer.status, answer.headers.get('retry-after'), bytes);
  }

  #isOfSlack(href: string): boolean {
    return URL.canParse(href) && new URL(href).origin === new URL(this.#urls.files).origin;
  }
}

function headersWith(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'user-agent': USER_AGENT };
}

/** An unreadable result is `unclear`: the method may still have been carried out. */
function read<Schema extends z.ZodType>(schema: Schema, result: unknown, method: string): z.output<Schema> {
  const parsed = schema.safeParse(result);
  if (!parsed.success) throw new SlackFailure('unclear', `Slack's answer to ${method} cannot be read`);
  return parsed.data;
}

function formOf(args: Arguments): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(args))
    if (value !== undefined) form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return form;
}

/** The caller reads the body to its end, or ends it. */
async function* closing(body: AsyncIterable<Uint8Array>, limit: TimeLimit): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    limit.close();
  }
}
