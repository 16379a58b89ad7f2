import { bytesWithin } from './bytes-within.ts';
import { foreignJson } from './platform-json.ts';

/** Reads the body of a platform's answer. Throws once it is longer than `maxBytes`, which also ends the connection. */
export async function readAnswer({ body }: Response, maxBytes: number): Promise<Uint8Array> {
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

/** Reads an answer as `readAnswer` does. `parse`: when and how its JSON is parsed. */
export async function readJson(
  answer: Response,
  maxBytes: number,
  parse: (body: Uint8Array) => unknown = foreignJson,
): Promise<JsonAnswer> {
  const json = await parse(await readAnswer(answer, maxBytes));
  const { status, ok: isOk, headers } = answer;
  return { status, isOk, headers, json };
}
