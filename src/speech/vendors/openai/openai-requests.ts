import type { IncomingMessage } from 'node:http';
import { retryAfterMs } from '../../../base/retry-after.ts';
import { isTemporary, type SpeechFault, vendorWords } from '../../speech-fault.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import type { RecognizerObserver } from '../../stt/recognizer.ts';
import { readMessage } from '../../vendor-message.ts';
import { errorBody, type VendorRequest, VendorRequests } from '../../vendor-requests.ts';
import { retryDelayMs, type VendorSocketDeps } from '../../vendor-socket.ts';
import { faultOfStatus } from '../vendor-manners.ts';
import { OPENAI } from './openai-manners.ts';

export interface OpenAiRequest extends Omit<VendorRequest, 'method'> {
  /** How often it is sent at most, while the fault is temporary. */
  readonly tries: number;
  /** Time for the response, as far as `read` reads it. */
  readonly limitMs: number;
}

/** What has been read of a response with status 2xx, or why there is none. */
export type OpenAiAnswer<Value> = { readonly value: Value } | OpenAiFailure;

export interface OpenAiFailure {
  readonly fault: SpeechFault;
  /** 0 if there was no response. */
  readonly status: number;
  readonly code: string;
}

/** A request that fails and is sent again disconnects, once until the next one succeeds. */
type RequestsObserver = Pick<RecognizerObserver, 'disconnected' | 'reconnected'>;

type Read<Value> = (response: IncomingMessage) => Value | Promise<Value>;

/** Advice where OpenAI's own words give none. */
const MODEL_ADVICE = 'Choose another model in the voice config.';
/** OpenAI repeats the start and the end of a wrong key. */
const PART_OF_KEY = /\bsk-[\w*-]+/g;
/** A longer wait is of no use in a conversation. */
const MAX_WAIT_MS = 8_000;

/** Requests of one session to OpenAI, sent again while their fault is temporary. */
export class OpenAiRequests {
  readonly #key: string;
  readonly #deps: VendorSocketDeps;
  readonly #observer: RequestsObserver;
  readonly #requests: VendorRequests;
  #isDisconnected = false;

  constructor({ url, key }: SpeechPreset, deps: VendorSocketDeps, observer: RequestsObserver) {
    this.#key = key;
    this.#deps = deps;
    this.#observer = observer;
    this.#requests = new VendorRequests({ url, headers: OPENAI.headers(key) });
  }

  /** Opens a connection, so that the first request need not. Its result does not matter. */
  async warmUp(model: string, signal: AbortSignal): Promise<void> {
    const path = `/v1/models/${encodeURIComponent(model)}`;
    try {
      const response = await this.#requests.send({ method: 'GET', path, signal });
      response.resume();
    } catch {
      // The first request reports what is wrong.
    }
  }

  /**
   * Sends the request and reads the response, several times if it must. Never rejects. Once the signal has aborted,
   * the answer means nothing.
   */
  async post<Value>(request: OpenAiRequest, read: Read<Value>): Promise<OpenAiAnswer<Value>> {
    for (let failures = 1; ; failures += 1) {
      const answer = await this.#try(request, read);
      if (request.signal.aborted) return answer;
      if ('value' in answer) {
        this.#succeed();
        return answer;
      }
      const waitMs = answer.retryAfterMs ?? retryDelayMs(failures, this.#deps.random());
      if (!isTemporary(answer.fault) || failures >= request.tries || waitMs > MAX_WAIT_MS) return answer;
      this.#fail(answer.fault);
      await this.#wait(waitMs, request.signal);
    }
  }

  close(): void {
    this.#requests.close();
  }

  async #try<Value>(request: OpenAiRequest, read: Read<Value>) {
    const { limitMs, signal: outer } = request;
    const limit = new AbortController();
    const cancelTimer = this.#deps.clock.after(limitMs, () => limit.abort());
    const signal = AbortSignal.any([outer, limit.signal]);
    try {
      const response = await this.#requests.send({ ...request, method: 'POST', signal });
      const { statusCode: status = 0 } = response;
      if (status >= 200 && status < 300) return { value: await read(response) };
      return await this.#refusal(response, status);
    } catch (error) {
      const late = new Error(`no answer within ${limitMs / 1_000} s`);
      const fault = faultOfFailure(limit.signal.aborted ? late : (error as Error));
      return { fault, status: 0, code: '', retryAfterMs: null };
    } finally {
      cancelTimer();
    }
  }

  /** Reads a response that is not 2xx. */
  async #refusal(response: IncomingMessage, status: number) {
    const error = readMessage(await errorBody(response)) ?? {};
    const { code } = OPENAI.errorIn(error);
    const { kind, words: said } = faultOfStatus(OPENAI, error, status, `HTTP status ${status}`);
    const words = code === 'model_not_found' || status === 404 ? `${MODEL_ADVICE} ${said}` : said;
    const fault = { kind, words: vendorWords(words.replace(PART_OF_KEY, '[key]'), this.#key) };
    const { 'retry-after': asked } = response.headers;
    const waitMs = asked === undefined ? null : retryAfterMs(asked, this.#deps.clock.nowIso());
    return { fault, status, code, retryAfterMs: waitMs };
  }

  #succeed(): void {
    if (!this.#isDisconnected) return;
    this.#isDisconnected = false;
    this.#observer.reconnected();
  }

  #fail(fault: SpeechFault): void {
    if (this.#isDisconnected) return;
    this.#isDisconnected = true;
    this.#observer.disconnected(fault);
  }

  #wait(durationMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancelTimer = this.#deps.clock.after(durationMs, resolve);
    const end = (): void => resolve();
    signal.addEventListener('abort', end);
    return promise.finally(() => {
      cancelTimer();
      signal.removeEventListener('abort', end);
    });
  }
}

/** Returns the fault of a request that got no response, or only part of it. */
export function faultOfFailure(error: Error & { readonly code?: string }): SpeechFault {
  return { kind: 'unreachable', words: `The request failed: ${error.code ?? error.message}` };
}
