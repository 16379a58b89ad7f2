// @ts-check
import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { EXIT_NO_PERMISSION, failureOf, failureOfStatus } from './failure.mjs';
import { agreeOnVersion, LOST, newTransport, reinitialize } from './transport.mjs';

/**
 * @import {
 *   JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, RequestId, StreamableHTTPClientTransport
 * } from '@modelcontextprotocol/client'
 * @import { Failure } from './failure.mjs'
 * @import { Options } from './options.mjs'
 */

/**
 * A request that has not been answered yet.
 *
 * @typedef {object} Pending
 * @property {AbortController} abort Closes its HTTP request.
 * @property {StreamableHTTPClientTransport | null} transport Its transport; null while the session is being reopened.
 */

/** First JSON-RPC error code reserved for implementations. */
const NO_ANSWER = -32_000;
/** Response to opening an event stream without a session. */
const NO_STREAMS = 405;
const MAX_CLOSE_MS = 1_000;

/**
 * Forwards messages to the gateway. Every request gets an answer, an error if the gateway cannot be reached. A session
 * that the gateway no longer knows, after a restart or a timeout, is reopened transparently.
 */
export class GatewayLink {
  /** A message from the gateway. @type {(message: JSONRPCMessage) => void} */
  onmessage = () => {};
  /** A problem to report; `isFinal`: the process should exit. @type {(failure: Failure, isFinal: boolean) => void} */
  onfailure = () => {};
  #options;
  #transport;
  /** @type {Map<RequestId, Pending>} */
  #pending = new Map();
  /** The client's `initialize` request. @type {JSONRPCRequest | null} */
  #initialize = null;
  /** Resource subscriptions of the session, by URI. @type {Map<string, JSONRPCRequest>} */
  #subscriptions = new Map();
  /** @type {Promise<void> | null} */
  #reopening = null;
  #wasReached = false;
  #isClosed = false;
  /** The last failure reported, so that retries do not repeat it. */
  #lastReport = '';

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
    this.#transport = this.#newTransport();
    void this.#transport.start();
  }

  /** Never throws: a failed request is answered with an error. @param {JSONRPCMessage} message */
  send(message) {
    if (isJSONRPCRequest(message)) void this.#request(message);
    else if (isCancellation(message)) this.#cancel(message);
    else this.#deliver(message).catch((error) => this.#report(error));
  }

  /** Ends the session, waiting at most MAX_CLOSE_MS for the gateway. */
  async close() {
    this.#isClosed = true;
    const ended = this.#transport.terminateSession().catch(() => {});
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, MAX_CLOSE_MS))]);
    await this.#transport.close();
  }

  /** @param {JSONRPCRequest} request */
  async #request(request) {
    /** @type {Pending} */
    const pending = { abort: new AbortController(), transport: null };
    this.#pending.set(request.id, pending);
    this.#remember(request);
    try {
      await this.#deliver(request, pending);
      this.#wasReached = true;
      this.#lastReport = '';
    } catch (error) {
      const failure = failureOf(error, this.#options.url);
      if (this.#refuse(request.id, failure)) this.#report(failure);
    }
  }

  /**
   * Sends a message; if the session is gone, reopens it and sends the message once more.
   *
   * @param {JSONRPCMessage} message
   * @param {Pending} [pending]
   */
  async #deliver(message, pending) {
    const transport = this.#transport;
    try {
      await this.#sendBy(transport, message, pending);
    } catch (error) {
      if (!(error instanceof SdkHttpError && this.#isGone(transport, error.status))) throw error;
      if (pending) pending.transport = null;
      await this.#reopen(transport);
      await this.#sendBy(this.#transport, message, pending);
    }
  }

  /**
   * @param {StreamableHTTPClientTransport} transport
   * @param {JSONRPCMessage} message
   * @param {Pending} [pending]
   */
  async #sendBy(transport, message, pending) {
    if (pending === undefined || !isJSONRPCRequest(message)) return await transport.send(message);
    pending.transport = transport;
    await transport.send(message, {
      requestSignal: pending.abort.signal,
      onRequestStreamEnd: () => this.#refuse(message.id, LOST),
    });
  }

  /**
   * Cancels a request. Without a session, closing the HTTP request cancels it; with one, the notification does.
   *
   * @param {JSONRPCNotification} cancellation
   */
  #cancel(cancellation) {
    const id = /** @type {RequestId} */ (cancellation.params?.requestId);
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.abort.abort();
    this.#transport.send(cancellation).catch(() => {});
  }

  /**
   * Answers a pending request with an error. Returns false if it has already been answered.
   *
   * @param {RequestId} id
   * @param {Failure} failure
   */
  #refuse(id, { message }) {
    if (!this.#pending.delete(id)) return false;
    this.onmessage({ jsonrpc: '2.0', id, error: { code: NO_ANSWER, message } });
    return true;
  }

  /** @param {unknown} error */
  #report(error) {
    if (this.#isClosed) return;
    const failure = failureOf(error, this.#options.url);
    const isFinal = !this.#wasReached || failure.exitCode === EXIT_NO_PERMISSION;
    if (isFinal) for (const id of [...this.#pending.keys()]) this.#refuse(id, failure);
    if (isFinal || failure.message !== this.#lastReport) this.onfailure(failure, isFinal);
    this.#lastReport = failure.message;
  }

  /** Stores requests to repeat in a reopened session. @param {JSONRPCRequest} request */
  #remember(request) {
    const uri = `${request.params?.uri}`;
    if (isInitializeRequest(request)) this.#initialize = request;
    else if (request.method === 'resources/subscribe') this.#subscriptions.set(uri, request);
    else if (request.method === 'resources/unsubscribe') this.#subscriptions.delete(uri);
  }

  #newTransport() {
    /** @type {StreamableHTTPClientTransport} */
    const transport = newTransport(this.#options, {
      message: (message) => this.#receive(transport, message),
      stream: (status, statusText) => this.#streamAnswered(transport, status, statusText),
      streamFailure: (error) => this.#report(error),
    });
    return transport;
  }

  /** @param {StreamableHTTPClientTransport} transport @param {JSONRPCMessage} message */
  #receive(transport, message) {
    if (isJSONRPCResponse(message) && message.id !== undefined) {
      if (!this.#pending.delete(message.id)) return;
      if (message.id === this.#initialize?.id) agreeOnVersion(transport, message);
    }
    this.onmessage(message);
  }

  /** @param {StreamableHTTPClientTransport} transport @param {number} status @param {string} statusText */
  #streamAnswered(transport, status, statusText) {
    if (this.#isGone(transport, status)) this.#reopen(transport).catch((error) => this.#report(error));
    else if (status < 400 || status === NO_STREAMS) this.#lastReport = '';
    else this.#report(failureOfStatus(status, statusText, this.#options.url));
  }

  /** @param {StreamableHTTPClientTransport} transport @param {number} status */
  #isGone({ sessionId }, status) {
    return status === 404 && sessionId !== undefined && this.#initialize !== null;
  }

  /**
   * Reopens the session once, even if several requests find it gone.
   *
   * @param {StreamableHTTPClientTransport} dead
   */
  async #reopen(dead) {
    if (this.#transport !== dead || this.#isClosed) return;
    this.#reopening ??= this.#replace(dead).finally(() => {
      this.#reopening = null;
    });
    await this.#reopening;
  }

  /** @param {StreamableHTTPClientTransport} dead */
  async #replace(dead) {
    const transport = this.#newTransport();
    await transport.start();
    await reinitialize(transport, /** @type {JSONRPCRequest} */ (this.#initialize));
    this.#transport = transport;
    await dead.close();
    for (const [id, pending] of this.#pending) if (pending.transport === dead) this.#refuse(id, LOST);
    // The client already has its answers, so these are dropped.
    for (const subscription of this.#subscriptions.values())
      void transport.send(subscription).catch(() => {});
  }
}

/** @param {JSONRPCMessage} message @returns {message is JSONRPCNotification} */
function isCancellation(message) {
  return isJSONRPCNotification(message) && message.method === 'notifications/cancelled';
}
