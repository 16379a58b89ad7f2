// @ts-check
import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { EXIT_NO_PERMISSION, failureOf, failureOfStatus } from './failure.mjs';
import { agreeOnVersion, introduce, LOST, newTransport } from './transport.mjs';

/**
 * @import {
 *   JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, RequestId, StreamableHTTPClientTransport
 * } from '@modelcontextprotocol/client'
 * @import { Failure } from './failure.mjs'
 * @import { Options } from './options.mjs'
 */

/**
 * A request without an answer yet.
 *
 * @typedef {object} Waiting
 * @property {AbortController} abort Hangs up.
 * @property {StreamableHTTPClientTransport | null} transport The one that it went out by; null: it waits for one.
 */

/** JSON-RPC's first code for errors of an implementation's own. */
const NO_ANSWER = -32_000;
/** How a gateway that keeps no session answers who wants to hear more. */
const NO_STREAMS = 405;
const MAX_CLOSE_MS = 1_000;

/**
 * The gateway, as the client sees it: what cannot be answered is answered with an error. A session that the gateway
 * has forgotten, because it was started again or nothing happened for long, is opened again without the client's help.
 */
export class GatewayLink {
  /** What the gateway says. @type {(message: JSONRPCMessage) => void} */
  onmessage = () => {};
  /** What people should know; `isFinal`: nothing will work now. @type {(failure: Failure, isFinal: boolean) => void} */
  onfailure = () => {};
  #options;
  #transport;
  /** @type {Map<RequestId, Waiting>} */
  #waiting = new Map();
  /** How the client introduced itself. @type {JSONRPCRequest | null} */
  #introduction = null;
  /** What the session tells the client of, by URI. @type {Map<string, JSONRPCRequest>} */
  #subscriptions = new Map();
  /** @type {Promise<void> | null} */
  #reopening = null;
  #wasReached = false;
  #isClosed = false;
  /** The last failure that was told: nobody wants to read it every few seconds. */
  #lastWords = '';

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
    this.#transport = this.#newTransport();
    void this.#transport.start();
  }

  /** Never fails: an error is the answer to a request. @param {JSONRPCMessage} message */
  send(message) {
    if (isJSONRPCRequest(message)) void this.#request(message);
    else if (isCancellation(message)) this.#cancel(message);
    else this.#deliver(message).catch((error) => this.#report(error));
  }

  /** Takes leave of the gateway if it has a moment. */
  async close() {
    this.#isClosed = true;
    const leave = this.#transport.terminateSession().catch(() => {});
    await Promise.race([leave, new Promise((resolve) => setTimeout(resolve, MAX_CLOSE_MS))]);
    await this.#transport.close();
  }

  /** @param {JSONRPCRequest} request */
  async #request(request) {
    /** @type {Waiting} */
    const waiting = { abort: new AbortController(), transport: null };
    this.#waiting.set(request.id, waiting);
    this.#remember(request);
    try {
      await this.#deliver(request, waiting);
      this.#wasReached = true;
      this.#lastWords = '';
    } catch (error) {
      const failure = failureOf(error, this.#options.url);
      if (this.#refuse(request.id, failure)) this.#report(failure);
    }
  }

  /**
   * Once more, by a new session, when the old one is gone.
   *
   * @param {JSONRPCMessage} message
   * @param {Waiting} [waiting]
   */
  async #deliver(message, waiting) {
    const transport = this.#transport;
    try {
      await this.#sendBy(transport, message, waiting);
    } catch (error) {
      if (!(error instanceof SdkHttpError && this.#isGone(transport, error.status))) throw error;
      if (waiting) waiting.transport = null;
      await this.#reopen(transport);
      await this.#sendBy(this.#transport, message, waiting);
    }
  }

  /**
   * @param {StreamableHTTPClientTransport} transport
   * @param {JSONRPCMessage} message
   * @param {Waiting} [waiting]
   */
  async #sendBy(transport, message, waiting) {
    if (waiting === undefined || !isJSONRPCRequest(message)) return await transport.send(message);
    waiting.transport = transport;
    await transport.send(message, {
      requestSignal: waiting.abort.signal,
      onRequestStreamEnd: () => this.#refuse(message.id, LOST),
    });
  }

  /** Without a session it is told by hanging up, else by the message. @param {JSONRPCNotification} cancellation */
  #cancel(cancellation) {
    const id = /** @type {RequestId} */ (cancellation.params?.requestId);
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.abort.abort();
    this.#transport.send(cancellation).catch(() => {});
  }

  /** Answers with an error whoever waits for an answer. @param {RequestId} id @param {Failure} failure */
  #refuse(id, { message }) {
    if (!this.#waiting.delete(id)) return false;
    this.onmessage({ jsonrpc: '2.0', id, error: { code: NO_ANSWER, message } });
    return true;
  }

  /** @param {unknown} error */
  #report(error) {
    if (this.#isClosed) return;
    const failure = failureOf(error, this.#options.url);
    const isFinal = !this.#wasReached || failure.exitCode === EXIT_NO_PERMISSION;
    if (isFinal) for (const id of [...this.#waiting.keys()]) this.#refuse(id, failure);
    if (isFinal || failure.message !== this.#lastWords) this.onfailure(failure, isFinal);
    this.#lastWords = failure.message;
  }

  /** What a new session would have to be told. @param {JSONRPCRequest} request */
  #remember(request) {
    const uri = `${request.params?.uri}`;
    if (isInitializeRequest(request)) this.#introduction = request;
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
      if (!this.#waiting.delete(message.id)) return;
      if (message.id === this.#introduction?.id) agreeOnVersion(transport, message);
    }
    this.onmessage(message);
  }

  /** @param {StreamableHTTPClientTransport} transport @param {number} status @param {string} statusText */
  #streamAnswered(transport, status, statusText) {
    if (this.#isGone(transport, status)) this.#reopen(transport).catch((error) => this.#report(error));
    else if (status < 400 || status === NO_STREAMS) this.#lastWords = '';
    else this.#report(failureOfStatus(status, statusText, this.#options.url));
  }

  /** @param {StreamableHTTPClientTransport} transport @param {number} status */
  #isGone({ sessionId }, status) {
    return status === 404 && sessionId !== undefined && this.#introduction !== null;
  }

  /** Several requests may find the same session dead. @param {StreamableHTTPClientTransport} dead */
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
    await introduce(transport, /** @type {JSONRPCRequest} */ (this.#introduction));
    this.#transport = transport;
    await dead.close();
    for (const [id, waiting] of this.#waiting) if (waiting.transport === dead) this.#refuse(id, LOST);
    // The client had its answers long ago: these are to nobody.
    for (const subscription of this.#subscriptions.values())
      void transport.send(subscription).catch(() => {});
  }
}

/** @param {JSONRPCMessage} message @returns {message is JSONRPCNotification} */
function isCancellation(message) {
  return isJSONRPCNotification(message) && message.method === 'notifications/cancelled';
}
