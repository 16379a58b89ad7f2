import * as z from 'zod';
import { field } from '../../base/platform-json.ts';
import { PlatformFailure, platformFailure } from '../kit/platform-failure.ts';
import { type CallOptions, type HttpAnswer, type PlatformHttp, parsed } from '../kit/platform-http.ts';

/** A user of a Nextcloud, with an app password. */
export interface NextcloudUser {
  /** The Nextcloud's URL, without a trailing slash. It may have a path. */
  readonly server: string;
  readonly userId: string;
  readonly password: string;
}

export interface OcsRequest extends Partial<CallOptions> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/ocs/v2.php/`, with its parts encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly json?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface OcsAnswer<Data> {
  /** 304: nothing new; the data are then those of an empty answer. */
  readonly status: number;
  readonly data: Data;
  readonly headers: Headers;
}

/** https://docs.nextcloud.com/server/latest/developer_manual/client_apis/OCS/ocs-api-overview.html */
const Envelope = z.object({
  ocs: z.object({ meta: field(z.object({ message: field(z.string()) })), data: z.unknown() }),
});
const Fault = z.object({ error: field(z.string()), message: field(z.string()) });

const DEFAULT_DEADLINE_MS = 15_000;
const BUSY_MS = 5_000;
const NO_CONTENT = new Set([204, 304]);

/**
 * A Nextcloud's OCS API, as one user. With `keepsSession`, it keeps the cookies of answers: Talk ties a participant to them. Without,
 * each request stands alone.
 */
export class OcsClient {
  readonly user: NextcloudUser;
  readonly #http: PlatformHttp;
  readonly #cookies: Map<string, string> | null;

  constructor(http: PlatformHttp, user: NextcloudUser, { keepsSession = false } = {}) {
    this.user = user;
    this.#http = http;
    this.#cookies = keepsSession ? new Map() : null;
  }

  /** For requests that are not OCS, such as WebDAV: they need this header. */
  get authorization(): string {
    const { userId, password } = this.user;
    return `Basic ${Buffer.from(`${userId}:${password}`).toString('base64')}`;
  }

  /**
   * Makes a request and returns its data as parsed by `schema`. Rejects with a PlatformFailure, whose `code` is Talk's own word
   * (`lobby`, `consent`) where it has one.
   */
  async ask<Schema extends z.ZodType>(
    { method, path, query = {}, headers, ...rest }: OcsRequest,
    schema: Schema,
  ): Promise<OcsAnswer<z.output<Schema>>> {
    const url = new URL(`${this.user.server}/ocs/v2.php/${path}`);
    url.searchParams.set('format', 'json');
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, `${value}`);
    const cookie = [...(this.#cookies ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await this.#http.ask({
      deadlineMs: DEFAULT_DEADLINE_MS,
      ...rest,
      method,
      url,
      headers: {
        accept: 'application/json',
        'ocs-apirequest': 'true',
        authorization: this.authorization,
        ...(cookie && { cookie }),
        ...headers,
      },
    });
    this.#keep(answer.headers);
    const words = `Nextcloud's answer to ${path.split('/').slice(0, 4).join('/')} cannot be read`;
    return { status: answer.status, data: parsed(schema, ocsDataIn(answer), words), headers: answer.headers };
  }

  #keep(headers: Headers): void {
    for (const line of this.#cookies ? headers.getSetCookie() : []) {
      const [, name, value] = /^([^=;\s]+)=([^;]*)/.exec(line) ?? [];
      if (name !== undefined) this.#cookies?.set(name, value ?? '');
    }
  }
}

/** Classifies a rejection. */
export function failureOf(error: unknown): PlatformFailure {
  return platformFailure('Nextcloud', error);
}

/** Returns the data of an answer. Throws a PlatformFailure when it is a refusal, or no answer of OCS. */
export function ocsDataIn(answer: HttpAnswer): unknown {
  if (NO_CONTENT.has(answer.status)) return [];
  const { data: envelope } = Envelope.safeParse(answer.json);
  if (answer.isOk && envelope) return envelope.ocs.data;
  throw refusalIn(answer, envelope);
}

function refusalIn(
  { isOk, status, retryAfterMs }: HttpAnswer,
  envelope: z.output<typeof Envelope> | undefined,
): PlatformFailure {
  const { data: fault } = Fault.safeParse(envelope?.ocs.data);
  const code = fault?.error ?? '';
  const said = fault?.message || envelope?.ocs.meta?.message || code;
  const words = said ? `${said} (HTTP status ${status})` : `Nextcloud answered with HTTP status ${status}`;
  if (isOk) return new PlatformFailure('unclear', 'What answered is no Nextcloud', { status });
  // 503: maintenance mode. Nothing is done in it.
  if (status === 429 || status === 503)
    return new PlatformFailure('later', words, { status, code, afterMs: retryAfterMs || BUSY_MS });
  if (status >= 500) return new PlatformFailure('unclear', words, { status, code });
  // What is not OCS' answer, as of a proxy, says nothing about the login.
  return new PlatformFailure('refused', words, {
    status: envelope ? status : 0,
    code,
    isLoggedOut: envelope !== undefined && status === 401,
  });
}
