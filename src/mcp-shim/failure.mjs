// @ts-check
import { SdkHttpError } from '@modelcontextprotocol/client';

/** Exit codes from sysexits.h: EX_USAGE, EX_UNAVAILABLE, EX_PROTOCOL, EX_NOPERM and EX_CONFIG. */
export const EXIT_OK = 0;
export const EXIT_USAGE = 64;
export const EXIT_UNAVAILABLE = 69;
const EXIT_PROTOCOL = 76;
export const EXIT_NO_PERMISSION = 77;
export const EXIT_CONFIG = 78;

const MAX_DETAIL_CHARS = 200;

/** An error with a user-readable message and the exit code to use if it ends the process. */
export class Failure extends Error {
  /** @param {number} exitCode @param {string} message */
  constructor(exitCode, message) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Converts an error from sending a message to a Failure. @param {unknown} error @param {URL} url */
export function failureOf(error, url) {
  if (error instanceof Failure) return error;
  if (error instanceof SdkHttpError) return failureOfStatus(error.status, `${error.data.text ?? ''}`, url);
  // fetch throws a TypeError when there is no response.
  if (error instanceof TypeError)
    return new Failure(EXIT_UNAVAILABLE, `Cannot reach ${url.origin}: ${causeOf(error)}`);
  const { message } = /** @type {Error} */ (error);
  return new Failure(EXIT_PROTOCOL, `Unexpected response from ${url}: ${message}`);
}

/** @param {number} status @param {string} body @param {URL} url */
export function failureOfStatus(status, body, url) {
  const answer = `${status} ${detailOf(body)}`.trim();
  if (status === 401) return new Failure(EXIT_NO_PERMISSION, `The gateway refused SVC_API_KEY: ${answer}`);
  if (status === 403) return new Failure(EXIT_NO_PERMISSION, `The gateway refused the request: ${answer}`);
  if (status === 429 || status >= 500)
    return new Failure(EXIT_UNAVAILABLE, `The gateway is unavailable: ${answer}`);
  if (status === 400 || status === 413)
    return new Failure(EXIT_PROTOCOL, `The gateway rejected the message: ${answer}`);
  return new Failure(EXIT_PROTOCOL, `No MCP endpoint at ${url}: ${answer}`);
}

/** @param {TypeError} error */
function causeOf({ message, cause }) {
  const { code, message: reason } = /** @type {{ code?: string, message?: string }} */ (cause ?? {});
  return code || reason || message;
}

/** Extracts the message from an error body: REST, JSON-RPC or plain text. @param {string} body */
function detailOf(body) {
  try {
    const { detail, error } = JSON.parse(body);
    return `${detail ?? error?.message ?? ''}`;
  } catch {
    return body.slice(0, MAX_DETAIL_CHARS);
  }
}
