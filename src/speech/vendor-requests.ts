import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { destroyOnAbort } from '../base/destroy-on-abort.ts';
import { hasEnded, networkCode } from '../base/network-error.ts';
import type { Clock } from '../base/time.ts';

/** Where a vendor's HTTP API is. */
export interface VendorApi {
  /** http: or https:, without a trailing slash and without secrets. */
  readonly url: string;
  /** Sent with every request. They carry the key. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface VendorRequest {
  readonly method: 'GET' | 'POST';
  /** Begins with a slash. */
  readonly path: string;
  readonly contentType?: string;
  readonly body?: Uint8Array;
  /** Ends the request, and the reading of its response. */
  readonly signal: AbortSignal;
}

/** More than any session has open at once. */
const MAX_CONNECTIONS = 4;
const MAX_ERROR_BYTES = 16 * 1_024;

/**
 * HTTP requests of one session to one vendor. Its connections are its own, unlike those of `fetch`: they stay open
 * between requests and end with the session. Redirects are not followed.
 */
export class VendorRequests {
  readonly #api: VendorApi;
  readonly #agent: HttpAgent;

  constructor(api: VendorApi) {
    this.#api = api;
    const options = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
    this.#agent = isSecure(api) ? new HttpsAgent(options) : new HttpAgent(options);
  }

  /** Resolves with the response once its head is there. Rejects when there is none, or with the signal's reason. */
  send(wanted: VendorRequest): Promise<IncomingMessage> {
    const { method, path, contentType, body, signal } = wanted;
    const send = isSecure(this.#api) ? httpsRequest : httpRequest;
    const headers = {
      ...this.#api.headers,
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...(body && { 'content-length': body.length }),
    };
    return new Promise((resolve, reject) => {
      const request = send(`${this.#api.url}${path}`, { method, headers, agent: this.#agent });
      destroyOnAbort(request, signal);
      let isAnswered = false;
      request.on('response', (response) => {
        isAnswered = true;
        resolve(response);
      });
      request.on('error', (error) => {
        if (signal.aborted) return reject(signal.reason);
        // The vendor had closed the idle connection, and has not seen the request.
        const isStale = request.reusedSocket && !isAnswered && hasEnded(networkCode(error));
        if (isStale) this.send(wanted).then(resolve, reject);
        else reject(error);
      });
      request.end(body);
    });
  }

  /** Closes all connections. */
  close(): void {
    this.#agent.destroy();
  }
}

/** Yields a response's body. Throws when the vendor sends nothing for `stallMs`, or breaks off. */
export async function* chunksOf(
  response: IncomingMessage,
  clock: Clock,
  stallMs: number,
): AsyncGenerator<Buffer, void> {
  const stalled = (): void => void response.destroy(new Error(`nothing came for ${stallMs / 1_000} s`));
  let cancelTimer = clock.after(stallMs, stalled);
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      cancelTimer();
      yield chunk;
      cancelTimer = clock.after(stallMs, stalled);
    }
  } finally {
    cancelTimer();
  }
}

/** Reads what there is of an error's body, at most 16 KB. */
export async function errorBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes >= MAX_ERROR_BYTES) break;
    }
  } catch {
    // The status says enough.
  }
  return Buffer.concat(chunks).subarray(0, MAX_ERROR_BYTES).toString('utf8');
}

function isSecure({ url }: VendorApi): boolean {
  return url.startsWith('https:');
}
