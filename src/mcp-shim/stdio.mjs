// @ts-check
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/client';

/**
 * @import { Readable, Writable } from 'node:stream'
 * @import { JSONRPCMessage } from '@modelcontextprotocol/client'
 */

/** Longest message accepted from the client. */
const MAX_MESSAGE_BYTES = 64 * 1_048_576;

/** The MCP client at the other end of standard input and output: one JSON-RPC message per line. */
export class StdioClient {
  /** @type {(message: JSONRPCMessage) => void} */
  onmessage = () => {};
  /** A line that is not a JSON-RPC message. @type {(error: Error) => void} */
  onerror = () => {};
  /** The client has closed its end. Called once. */
  onclose = () => {};
  #input;
  #output;
  #buffer = new ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES });
  #isClosed = false;

  /** @param {Readable} input @param {Writable} output */
  constructor(input, output) {
    this.#input = input;
    this.#output = output;
  }

  start() {
    this.#input.on('data', (chunk) => this.#read(chunk));
    this.#input.on('end', () => this.#close());
    this.#input.on('error', () => this.#close());
    this.#output.on('error', () => this.#close());
  }

  /** @param {JSONRPCMessage} message */
  send(message) {
    if (!this.#isClosed) this.#output.write(serializeMessage(message));
  }

  /** @param {Buffer} chunk */
  #read(chunk) {
    try {
      this.#buffer.append(chunk);
    } catch (error) {
      this.onerror(/** @type {Error} */ (error));
      this.#close();
      return;
    }
    while (!this.#isClosed && this.#readMessage());
  }

  /** Reads one message. Returns false when there are no more. */
  #readMessage() {
    try {
      const message = this.#buffer.readMessage();
      if (message === null) return false;
      this.onmessage(message);
    } catch (error) {
      this.onerror(/** @type {Error} */ (error));
    }
    return true;
  }

  #close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose();
  }
}
