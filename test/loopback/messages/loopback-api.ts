import * as z from 'zod';
import type { Clock } from '../../../src/base/time.ts';
import type { OutboundFile } from '../../../src/connectors/contract/messenger.ts';
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

export interface LoopbackRequest extends Omit<HttpRequest, 'url' | 'signal'> {
  /** Below the API's root, without a leading slash. */
  readonly path: string;
}

/** The vendor's REST API with the token of one login. Rejections are PlatformFailures, or errors of the token. */
export class LoopbackApi {
  /** With a trailing slash. */
  readonly #root: string;
  readonly #token: () => Promise<string>;
  readonly #http: PlatformHttp;

  constructor(baseUrl: string, token: () => Promise<string>, clock: Clock) {
    this.#root = `${baseUrl}/v1/`;
    this.#token = token;
    this.#http = new PlatformHttp('The loopback vendor', clock);
  }

  async call<T>(request: LoopbackRequest, answer: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const json = await this.ask(request, await this.#token(), signal);
    return parsed(answer, json, "The vendor's answer cannot be read");
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
    const url = `${this.#root}files/${encodeURIComponent(id)}`;
    const headers = { authorization: `Bearer ${await this.#token()}` };
    return await this.#http.openFile({ url, headers, signal });
  }

  /** Makes a request with this token. */
  protected async ask(request: LoopbackRequest, token: string, signal: AbortSignal): Promise<unknown> {
    const { path, ...others } = request;
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    const answer = await this.#http.ask({ ...others, url: this.#root + path, headers, signal });
    if (answer.isOk) return answer.json;
    throw failureIn(answer);
  }
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
