// @ts-check
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { EXIT_UNAVAILABLE, Failure } from './failure.mjs';

/**
 * @import { FetchLike, JSONRPCMessage, JSONRPCRequest, JSONRPCResultResponse } from '@modelcontextprotocol/client'
 * @import { Options } from './options.mjs'
 */

/**
 * @typedef {object} Listener
 * @property {(message: JSONRPCMessage) => void} message
 * @property {(status: number, statusText: string) => void} stream The gateway's response to opening the event stream.
 * @property {(error: unknown) => void} streamFailure Opening the event stream failed.
 */

/** Reopen a lost event stream until the client exits. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 10_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: Number.POSITIVE_INFINITY,
};

/** Answer to a request that was in progress when the connection broke. */
export const LOST = new Failure(
  EXIT_UNAVAILABLE,
  'Lost the connection to the gateway: the request may or may not have taken effect',
);

/**
 * Creates the SDK's client transport. The transport reopens streams by itself but does not report the gateway's
 * responses, so its GET requests are observed here.
 *
 * @param {Options} options
 * @param {Listener} listener
 */
export function newTransport({ url, apiKey }, listener) {
  /** @type {FetchLike} */
  const watchedFetch = async (address, init) => {
    if (init?.method !== 'GET') return await fetch(address, init);
    try {
      const response = await fetch(address, init);
      listener.stream(response.status, response.statusText);
      return response;
    } catch (error) {
      if (!init.signal?.aborted) listener.streamFailure(error);
      throw error;
    }
  };
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { Authorization: `Bearer ${apiKey}` } },
    reconnectionOptions: RECONNECTION,
    fetch: watchedFetch,
  });
  transport.onmessage = listener.message;
  return transport;
}

/**
 * Opens a new session with the client's original `initialize`, transparently to the client.
 *
 * @param {StreamableHTTPClientTransport} transport
 * @param {JSONRPCRequest} initialize
 */
export async function reinitialize(transport, initialize) {
  const listener = transport.onmessage;
  /** @type {Promise<JSONRPCResultResponse>} */
  const answered = new Promise((resolve, reject) => {
    transport.onmessage = (message) => {
      if (isJSONRPCResultResponse(message)) resolve(message);
      else if (isJSONRPCErrorResponse(message)) reject(new Failure(EXIT_UNAVAILABLE, message.error.message));
    };
    transport.send(initialize, { onRequestStreamEnd: () => reject(LOST) }).catch(reject);
  });
  agreeOnVersion(transport, await answered);
  if (listener) transport.onmessage = listener;
  await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
}

/**
 * Sets the protocol version of later requests to the one that the gateway chose.
 *
 * @param {StreamableHTTPClientTransport} transport
 * @param {JSONRPCMessage} answer
 */
export function agreeOnVersion(transport, answer) {
  if (isJSONRPCResultResponse(answer)) transport.setProtocolVersion(`${answer.result.protocolVersion}`);
}
