import type { IncomingMessage } from 'node:http';
import { REFUSALS } from './discord-error.ts';
import type { UploadedFile } from './route.ts';

/** What Discord takes in one request at most. */
const MAX_BODY_BYTES = 110 * 1_048_576;

export interface RequestBody {
  /** Undefined: there is none. */
  readonly json: unknown;
  readonly files: ReadonlyMap<number, UploadedFile>;
}

const NO_FILES: ReadonlyMap<number, UploadedFile> = new Map();

export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_BODY_BYTES) throw REFUSALS.tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** JSON, or a form with `payload_json` and `files[n]` (https://docs.discord.com/developers/reference#uploading-files). */
export async function parseBody(contentType: string, bytes: Buffer): Promise<RequestBody> {
  if (bytes.length === 0) return { json: undefined, files: NO_FILES };
  if (contentType.startsWith('multipart/form-data')) return await parseForm(contentType, bytes);
  if (!contentType.startsWith('application/json')) throw REFUSALS.contentType(contentType);
  return { json: parseJson(bytes.toString('utf8')), files: NO_FILES };
}

async function parseForm(contentType: string, bytes: Buffer): Promise<RequestBody> {
  const response = new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } });
  const form = await response.formData().catch(() => {
    throw REFUSALS.badJson();
  });
  const files = new Map<number, UploadedFile>();
  let json: unknown = {};
  for (const [name, value] of form) {
    if (name === 'payload_json') json = parseJson(typeof value === 'string' ? value : await value.text());
    else if (typeof value !== 'string') {
      const index = /^files\[(\d+)\]$/.exec(name)?.[1];
      if (index === undefined) throw REFUSALS.badJson();
      const content = Buffer.from(await value.arrayBuffer());
      files.set(Number(index), { name: value.name, mime: value.type || mimeOf(value.name), bytes: content });
    } else throw REFUSALS.badJson();
  }
  return { json, files };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw REFUSALS.badJson();
  }
}

/** Discord looks at the name of a file that comes without a type. */
function mimeOf(name: string): string {
  return (
    { png: 'image/png', txt: 'text/plain', ogg: 'audio/ogg' }[name.split('.').at(-1) ?? ''] ??
    'application/octet-stream'
  );
}
