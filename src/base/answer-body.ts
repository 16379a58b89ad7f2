import { bytesWithin } from './bytes-within.ts';
import { foreignJson } from './platform-json.ts';
import type { Reader } from './reading-time.ts';

/** Reads the body of a platform's answer. Throws once it is longer than `maxBytes`, which also ends the connection. */
export async function readAnswer({ body }: Pick<Response, 'body'>, maxBytes: number): Promise<Uint8Array> {
  return await bytesWithin(body ?? [], maxBytes);
}

/** The whole answer of a platform. */
export interface JsonAnswer {
  readonly status: number;
  readonly isOk: boolean;
  readonly headers: Headers;
  /** Undefined: the body is not JSON. */
  readonly json: unknown;
}

/** Reads an answer as `readAnswer` does. */
export async function readJson(answer: Response, maxBytes: number): Promise<JsonAnswer> {
  return jsonAnswer(answer, foreignJson(await readAnswer(answer, maxBytes)));
}

/** The same, no faster than the account may read. Rejects with ReadingRefused as well, or with the signal's reason. */
export async function readJsonInTurn(
  answer: Response,
  maxBytes: number,
  reader: Reader,
  signal: AbortSignal,
): Promise<JsonAnswer> {
  const body = await bytesWithin(reader.chunks(answer.body ?? [], signal), maxBytes);
  return jsonAnswer(answer, await reader.read(signal, () => foreignJson(body)));
}

function jsonAnswer({ status, ok: isOk, headers }: Response, json: unknown): JsonAnswer {
  return { status, isOk, headers, json };
}
