// @ts-check
import { SdkHttpError } from '@modelcontextprotocol/client';

/** sysexits.h, as the gateway itself ends: EX_USAGE, EX_UNAVAILABLE, EX_PROTOCOL, EX_NOPERM, EX_CONFIG. */
export const EXIT_OK = 0;
export const EXIT_USAGE = 64;
export const EXIT_UNAVAILABLE = 69;
const EXIT_PROTOCOL = 76;
export const EXIT_NO_PERMISSION = 77;
export const EXIT_CONFIG = 78;

const MAX_DETAIL_CHARS = 200;

/** What went wrong, in words for people, and how the process ends if it ends by it. */
export class Failure extends Error {
  /** @param {number} exitCode @param {string} message */
  constructor(exitCode, message) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Why a message did not get through. @param {unknown} error @param {URL} url */
export function failureOf(error, url) {
  if (error instanceof Failure) return error;
  if (error instanceof SdkHttpError) return failureOfStatus(error.status, `${error.data.text ?? ''}`, url);
  // What fetch throws when there is no answer at all.
  if (error instanceof TypeError)
    return new Failure(EXIT_UNAVAILABLE, `${url.origin} cannot be reached: ${causeOf(error)}`);
  const { message } = /** @type {Error} */ (error);
  return new Failure(EXIT_PROTOCOL, `${url} does not answer as a gateway: ${message}`);
}

/** @param {number} status @param {string} body @param {URL} url */
export function failureOfStatus(status, body, url) {
  const answer = `${status} ${detailOf(body)}`.trim();
  if (status === 401) return new Failure(EXIT_NO_PERMISSION, `The gateway refuses SVC_API_KEY: ${answer}`);
  if (status === 403) return new Failure(EXIT_NO_PERMISSION, `The gateway refuses the request: ${answer}`);
  if (status === 429 || status >= 500)
    return new Failure(EXIT_UNAVAILABLE, `The gateway cannot answer now: ${answer}`);
  if (status === 400 || status === 413)
    return new Failure(EXIT_PROTOCOL, `The gateway does not take the message: ${answer}`);
  return new Failure(EXIT_PROTOCOL, `${url} is no gateway's MCP endpoint: ${answer}`);
}

/** @param {TypeError} error */
function causeOf({ message, cause }) {
  const { code, message: reason } = /** @type {{ code?: string, message?: string }} */ (cause ?? {});
  return code || reason || message;
}

/** The words of an error's body: the REST API's, JSON-RPC's, or the body itself. @param {string} body */
function detailOf(body) {
  try {
    const { detail, error } = JSON.parse(body);
    return `${detail ?? error?.message ?? ''}`;
  } catch {
    return body.slice(0, MAX_DETAIL_CHARS);
  }
}
