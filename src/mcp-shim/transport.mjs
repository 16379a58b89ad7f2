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
 * @property {(status: number, statusText: string) => void} stream How the gateway answered when more was to be heard.
 * @property {(error: unknown) => void} streamFailure It did not answer.
 */

/** A stream that is cut is opened again until the client has had enough. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 10_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: Number.POSITIVE_INFINITY,
};

/** What a request is told that was under way when the connection broke. */
export const LOST = new Failure(
  EXIT_UNAVAILABLE,
  'The connection to the gateway was cut: nobody knows what became of the request',
);

/**
 * The official client's, which frames messages and opens streams again when they are cut. It does not tell how the
 * gateway answers to that, so its requests are watched.
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
 * Opens a session as the client once did, which hears nothing of it.
 *
 * @param {StreamableHTTPClientTransport} transport
 * @param {JSONRPCRequest} introduction
 */
export async function introduce(transport, introduction) {
  const listener = transport.onmessage;
  /** @type {Promise<JSONRPCResultResponse>} */
  const answered = new Promise((resolve, reject) => {
    transport.onmessage = (message) => {
      if (isJSONRPCResultResponse(message)) resolve(message);
      else if (isJSONRPCErrorResponse(message)) reject(new Failure(EXIT_UNAVAILABLE, message.error.message));
    };
    transport.send(introduction, { onRequestStreamEnd: () => reject(LOST) }).catch(reject);
  });
  agreeOnVersion(transport, await answered);
  if (listener) transport.onmessage = listener;
  await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
}

/**
 * Later requests name the version that the gateway chose.
 *
 * @param {StreamableHTTPClientTransport} transport
 * @param {JSONRPCMessage} answer
 */
export function agreeOnVersion(transport, answer) {
  if (isJSONRPCResultResponse(answer)) transport.setProtocolVersion(`${answer.result.protocolVersion}`);
}
