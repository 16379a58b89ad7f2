import type { IncomingMessage } from 'node:http';
import { type Form, type FormFile, parseForm } from '../multipart-form.ts';
import { ApiError, badRequest } from './api-error.ts';
import type { Upload } from './method-types.ts';

/** A call's fields, with an Upload wherever one of them means a file of the request. */
export interface ReadCall {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly uploads: ReadonlyMap<string, FormFile>;
}

/** The largest upload that Telegram takes, with its form around it. */
const MAX_BODY_BYTES = 51_000_000;

/** Text of a form's field → value. */
export type ValueOf = (name: string, text: string) => unknown;

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let lengthBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    lengthBytes += chunk.length;
    if (lengthBytes > MAX_BODY_BYTES) throw new ApiError(413, 'Request Entity Too Large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads a call in any of the ways that Telegram takes (https://core.telegram.org/bots/api#making-requests). */
export function readCall(request: IncomingMessage, body: Buffer, fieldValue: ValueOf): ReadCall {
  const { fields, files } = formOf(request, body);
  const used = new Set<string>();
  const parameters: Record<string, unknown> = {};
  for (const [name, given] of fields) {
    const value = typeof given === 'string' ? fieldValue(name, given) : given;
    parameters[name] = withUploads(value, files, used);
  }
  // A file that nothing refers to is the field of its name, if there is one.
  for (const name of files.keys()) {
    if (!used.has(name)) parameters[name] ??= { upload: name } satisfies Upload;
  }
  return { parameters, uploads: files };
}

/** `attach://name` → the file of that name, wherever it stands. */
function withUploads(value: unknown, files: Form['files'], used: Set<string>): unknown {
  if (typeof value === 'string') {
    const name = /^attach:\/\/(.+)$/.exec(value)?.[1];
    if (name === undefined) return value;
    if (!files.has(name)) throw badRequest(`there is no file ${name} in the request`);
    used.add(name);
    return { upload: name } satisfies Upload;
  }
  if (Array.isArray(value)) return value.map((each) => withUploads(each, files, used));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, withUploads(each, files, used)]);
  return Object.fromEntries(entries);
}

interface AnyForm {
  readonly fields: Iterable<readonly [string, unknown]>;
  readonly files: Form['files'];
}

function formOf(request: IncomingMessage, body: Buffer): AnyForm {
  const { method, url = '/', headers } = request;
  const type = headers['content-type'] ?? '';
  const query = new URL(url, 'http://fake').searchParams;
  if (method === 'GET') return { fields: query, files: new Map() };
  if (method !== 'POST') throw new ApiError(405, 'Method Not Allowed');
  if (body.length === 0) return { fields: query, files: new Map() };
  if (/^application\/json\b/.test(type)) return { fields: jsonFields(body), files: new Map() };
  if (/^application\/x-www-form-urlencoded\b/.test(type)) {
    return { fields: new URLSearchParams(body.toString('utf8')), files: new Map() };
  }
  if (/^multipart\/form-data\b/.test(type)) return parseForm(body, type);
  throw badRequest(`content type ${type} is not supported`);
}

function jsonFields(body: Buffer): [string, unknown][] {
  try {
    return Object.entries(JSON.parse(body.toString('utf8')));
  } catch {
    throw badRequest("can't parse JSON object");
  }
}
