import * as z from 'zod';
import { GatewayError } from '../../base/errors.ts';
import { field } from '../../base/platform-json.ts';
import type { Clock } from '../../base/time.ts';
import type { OutboundFile } from '../contract/messenger.ts';
import { fileFound, PlatformFailure, platformFailure } from '../kit/platform-failure.ts';
import {
  type CallOptions,
  fileUpload,
  type HttpAnswer,
  type HttpRequest,
  PlatformHttp,
  parsed,
} from '../kit/platform-http.ts';
import type { AppTokens, TokenUse } from './auth/app-tokens.ts';
import type { FileHosts } from './files/inbound-files.ts';

export interface TeamsApiDeps {
  readonly clock: Clock;
  readonly tokens: AppTokens;
  /** Only the hosts of the Bot Connector get the bot's token. */
  readonly hosts: FileHosts;
  readonly botUse: TokenUse;
}

/** A call of the Bot Connector. */
export interface ConnectorCall {
  readonly method: HttpRequest['method'];
  readonly serviceUrl: string;
  /** Below the service URL, encoded: `v3/…`. */
  readonly path: string;
  readonly body?: object;
}

interface TeamsRequest extends Pick<HttpRequest, 'method' | 'url'> {
  readonly use: TokenUse;
  readonly body?: object | undefined;
}

const UPLOAD_DEADLINE_MS = 120_000;
const MAX_PAUSE_MS = 3_600_000;
/** "Retry for error codes 412, 429, 502 and 504" (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit). */
const PASSING: ReadonlySet<number> = new Set([412, 429, 502, 503, 504]);
/** An address of a file that has expired is refused. */
const GONE: ReadonlySet<number> = new Set([401, 403, 404, 410]);

const Refusal = z.object({ error: z.object({ code: field(z.string()), message: field(z.string()) }) });

/**
 * Client of the Bot Connector (https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference)
 * and of Graph, with the tokens of the bot's application.
 */
export class TeamsApi {
  readonly #deps: TeamsApiDeps;
  readonly #http: PlatformHttp;

  constructor(deps: TeamsApiDeps) {
    this.#deps = deps;
    this.#http = new PlatformHttp('Teams', deps.clock);
  }

  /** Calls the Bot Connector and returns its answer as parsed by `schema`. Rejects with a PlatformFailure. */
  async call<Schema extends z.ZodType>(
    { serviceUrl, path, method, body }: ConnectorCall,
    options: CallOptions,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const { hosts, botUse: use } = this.#deps;
    if (!hosts.services.allows(serviceUrl))
      throw new PlatformFailure('refused', 'The service URL is not one of Teams');
    const url = `${serviceUrl.endsWith('/') ? serviceUrl : `${serviceUrl}/`}${path}`;
    return await this.request({ method, url, use, body }, options, schema);
  }

  /**
   * Makes a request with a token, and once more with another one if that is refused. Rejects with a PlatformFailure, whose
   * code is Microsoft's word for the error, such as `ConversationNotFound`.
   */
  async request<Schema extends z.ZodType>(
    { method, url, use, body: json }: TeamsRequest,
    options: CallOptions,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const { tokens } = this.#deps;
    for (let attempt = 1; ; attempt++) {
      const token = await tokens.token(use);
      const headers = { authorization: `Bearer ${token}` };
      const answer = await this.#http.ask({ method, url, headers, json, ...options });
      const isLoggedOut = answer.status === 401;
      if (isLoggedOut) await tokens.refused(use, token);
      if (isLoggedOut && attempt === 1) continue;
      if (answer.status >= 300) throw failureIn(answer, isLoggedOut);
      return parsed(schema, answer.json ?? {}, 'The answer of Teams cannot be read');
    }
  }

  /** Opens the bytes of a received file. Rejects with GatewayError `file_gone` or `platform_failed`. */
  async openFile(url: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const { hosts, tokens, botUse } = this.#deps;
    // The setting may have changed since the file was received.
    const isService = hosts.services.allows(url) && new URL(url).pathname.includes('/v3/attachments/');
    if (!isService && !hosts.drives.allows(url)) throw new GatewayError('file_gone');
    const token = isService ? await fileFound(tokens.token(botUse), () => false) : null;
    const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    return await this.#http.openFile({ url, headers, signal, gone: GONE });
  }

  /**
   * Uploads a file in one piece to the session that Teams has opened for it
   * (https://learn.microsoft.com/graph/api/driveitem-createuploadsession). The address is the credential; check its host
   * first. Rejects with a PlatformFailure.
   */
  async uploadFile(file: OutboundFile, url: string, signal: AbortSignal): Promise<void> {
    const { sizeBytes } = file;
    const { isOk, status } = await this.#http.ask({
      method: 'PUT',
      url,
      headers: { 'content-range': `bytes 0-${sizeBytes - 1}/${sizeBytes}` },
      upload: fileUpload(file),
      deadlineMs: UPLOAD_DEADLINE_MS,
      signal,
    });
    if (!isOk) throw new PlatformFailure('unclear', `the upload got HTTP status ${status}`);
  }
}

/** Classifies a rejection. */
export function failureOf(error: unknown): PlatformFailure {
  return platformFailure('Teams', error);
}

/** Reads an answer of the Bot Connector or Graph that is not 2xx. */
function failureIn({ status, retryAfterMs, json }: HttpAnswer, isLoggedOut: boolean): PlatformFailure {
  const { data } = Refusal.safeParse(json);
  const { code = '', message } = data?.error ?? {};
  const words = message || code || `HTTP status ${status} without a readable answer`;
  const facts = { status, code, isLoggedOut };
  if (PASSING.has(status))
    return new PlatformFailure('later', words, {
      ...facts,
      afterMs: Math.min(retryAfterMs ?? 0, MAX_PAUSE_MS),
    });
  if (status >= 500) return new PlatformFailure('unclear', words, facts);
  return new PlatformFailure('refused', code === '' ? words : `${words} (${code})`, facts);
}
