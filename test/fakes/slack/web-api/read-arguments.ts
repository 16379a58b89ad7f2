import type { IncomingMessage } from 'node:http';
import { invalidArguments, SlackError } from './slack-error.ts';

/** The largest body that the fake reads. */
const MAX_BODY_BYTES = 2_000_000;

export interface RawCall {
  /** From the header, or from the argument of older clients; '' without one. */
  readonly token: string;
  /** Client id and secret by HTTP Basic; null without them. */
  readonly basic: { readonly id: string; readonly secret: string } | null;
  /** Texts from a form, values from JSON. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly isJson: boolean;
}

export async function readBody(request: IncomingMessage, mostBytes = MAX_BODY_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let lengthBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    lengthBytes += chunk.length;
    if (lengthBytes > mostBytes) throw new SlackError('request_too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads a call as a form or as JSON (https://docs.slack.dev/apis/web-api/#basics). */
export async function readCall(request: IncomingMessage): Promise<RawCall> {
  const body = await readBody(request);
  const type = request.headers['content-type'] ?? '';
  const isJson = /^application\/json\b/.test(type);
  const values = new Map<string, unknown>(isJson ? jsonValues(body) : formValues(request, body, type));
  const given = values.get('token');
  values.delete('token');
  const authorization = request.headers.authorization ?? '';
  const [, bearer] = /^Bearer (.+)$/.exec(authorization) ?? [];
  if (isJson && bearer === undefined) throw new SlackError('not_authed');
  return {
    token: bearer ?? (typeof given === 'string' ? given : ''),
    basic: basicOf(authorization),
    values,
    isJson,
  };
}

function jsonValues(body: Buffer): [string, unknown][] {
  try {
    return Object.entries(JSON.parse(body.toString('utf8')));
  } catch {
    throw new SlackError('invalid_json');
  }
}

function formValues(request: IncomingMessage, body: Buffer, type: string): Iterable<[string, unknown]> {
  if (request.method === 'GET') return new URL(request.url ?? '/', 'http://fake').searchParams;
  if (body.length === 0) return [];
  if (!/^application\/x-www-form-urlencoded\b/.test(type)) throw new SlackError('invalid_post_type');
  const values = new URLSearchParams(body.toString('utf8'));
  for (const name of new Set(values.keys()))
    if (values.getAll(name).length > 1) throw invalidArguments(`argument given twice: ${name}`);
  return values;
}

function basicOf(authorization: string): RawCall['basic'] {
  const [, encoded] = /^Basic (.+)$/.exec(authorization) ?? [];
  if (encoded === undefined) return null;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { id: decodeURIComponent(id), secret: decodeURIComponent(secret) };
}
