import * as z from 'zod';
import type { Clock } from '../../../src/base/time.ts';
import type { InboundFile, OutboundFile } from '../../../src/connectors/contract/messenger.ts';
import { PlatformFailure } from '../../../src/connectors/kit/platform-failure.ts';
import {
  fileUpload,
  type HttpAnswer,
  type HttpRequest,
  PlatformHttp,
  parsed,
} from '../../../src/connectors/kit/platform-http.ts';
import { StoredFile } from './vendor-messages.ts';

/** When the vendor does not say. */
const RETRY_MS = 1_000;

const ErrorBody = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Where the tokens of a login come from. */
export interface TokenSource {
  token(): Promise<string>;
  /** The vendor refused this token. Returns another one to try once; null when there is none. */
  refused(token: string): Promise<string | null>;
}

export interface LoopbackRequest extends Pick<HttpRequest, 'method' | 'json' | 'upload' | 'headers'> {
  /** Below the API's root, without a leading slash. */
  readonly path: string;
}

/** The vendor's REST API with the token of one login. Rejections are PlatformFailures, or errors of the tokens. */
export class LoopbackApi {
  readonly #baseUrl: string;
  readonly #tokens: TokenSource;
  readonly #http: PlatformHttp;

  constructor(baseUrl: string, tokens: TokenSource, clock: Clock) {
    this.#baseUrl = baseUrl;
    this.#tokens = tokens;
    this.#http = new PlatformHttp('The loopback vendor', clock);
  }

  async call<T>(request: LoopbackRequest, answer: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const token = await this.#tokens.token();
    const result = await this.#ask(request, token, signal).catch(async (error: unknown) => {
      const isRefused = error instanceof PlatformFailure && error.isLoggedOut;
      const other = isRefused ? await this.#tokens.refused(token) : null;
      if (other === null) throw error;
      return await this.#ask(request, other, signal);
    });
    return parsed(answer, result, "The vendor's answer cannot be read");
  }

  /** Uploads the files of a message. Returns their ids at the vendor. */
  async upload(files: readonly OutboundFile[], signal: AbortSignal): Promise<string[]> {
    const ids: string[] = [];
    for (const file of files) {
      const headers = { 'content-type': file.mime, 'x-file-name': encodeURIComponent(file.name) };
      const request = { method: 'POST', path: 'files', upload: fileUpload(file), headers } as const;
      ids.push((await this.call(request, StoredFile, signal)).id);
    }
    return ids;
  }

  /** Opens the bytes of a file. Rejects as `FetchesFiles` says. */
  async openFile(id: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const url = `${this.#baseUrl}/v1/files/${encodeURIComponent(id)}`;
    return await this.#http.openFile({ url, headers: bearer(await this.#tokens.token()), signal });
  }

  async #ask({ path, headers, ...request }: LoopbackRequest, token: string, signal: AbortSignal) {
    const url = `${this.#baseUrl}/v1/${path}`;
    const answer = await this.#http.ask({
      ...request,
      url,
      signal,
      headers: { ...headers, ...bearer(token) },
    });
    if (answer.isOk) return answer.json;
    throw failureIn(answer);
  }
}

export function inboundFile({ id, name, mime, size }: z.output<typeof StoredFile>): InboundFile {
  return { name, mime, sizeBytes: size, ref: id };
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}

function failureIn({ status, json, retryAfterMs }: HttpAnswer): PlatformFailure {
  const { data } = ErrorBody.safeParse(json);
  // Something before the vendor has answered for it.
  if (!data) return new PlatformFailure('unclear', `The vendor answered ${status}`);
  const { code, message } = data.error;
  return status === 429 || status === 503
    ? new PlatformFailure('later', message, { status, code, afterMs: retryAfterMs ?? RETRY_MS })
    : new PlatformFailure('refused', message, { status, code, isLoggedOut: status === 401 });
}
