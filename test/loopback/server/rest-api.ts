import type { WebSocket } from 'ws';
import * as z from 'zod';
import type { Account } from './accounts.ts';
import type { EventFeed } from './event-feed.ts';
import type { Faults, NoAnswer } from './faults.ts';
import type { Meeting } from './meeting.ts';
import type { Session } from './session.ts';
import type { Space } from './space.ts';
import type { FileFacts, StoredFile, StoredFiles } from './stored-files.ts';
import { VendorError } from './vendor-error.ts';

/** What the endpoints work on. All methods throw VendorError for what does not exist. */
interface Vendor {
  readonly files: StoredFiles;
  readonly faults: Faults;
  feedOf(account: Account): EventFeed;
  subscribe(account: Account, url: string, secret: string): Promise<void>;
  meetingOf(id: string): Meeting;
  sessionOf(account: Account, id: string): { readonly meeting: Meeting; readonly session: Session };
  spaceAt(account: Account, path: string): Space;
  socketUrl(take: (socket: WebSocket) => void): string;
}

/** A request that has shown who makes it. */
export interface VendorRequest {
  readonly account: Account;
  /** What the token may be used for. */
  readonly scopes: readonly string[];
  /** The part of the path that the route leaves open. */
  readonly id: string;
  readonly body: Buffer;
  header(name: string): string;
}

type Answer = { readonly json: object } | { readonly file: StoredFile } | NoAnswer;

interface Endpoint {
  readonly method: string;
  readonly path: RegExp;
  /** Null: any token. */
  readonly scope: 'calls' | 'messages' | null;
  readonly run: (vendor: Vendor, request: VendorRequest) => Answer | Promise<Answer>;
}

const Files = z.array(z.string()).max(10).default([]);
const JoinBody = z.strictObject({ name: z.string().min(1).max(80), media: z.enum(['pcm', 'packets']) });
const ChatBody = z.strictObject({ text: z.string(), files: Files });
const MessageBody = z.strictObject({
  text: z.string(),
  thread: z.string().nullable().default(null),
  files: Files,
  nonce: z.string().max(64),
  answers: z.string().nullable().default(null),
  buttons: z.array(z.string().min(1).max(80)).max(10).default([]),
});
const ReactionBody = z.strictObject({ emoji: z.string().min(1).max(40), is_added: z.boolean() });
const TypingBody = z.strictObject({ thread: z.string().nullable().default(null) });
const WebhookBody = z.strictObject({ url: z.url(), secret: z.string().min(16) });
const Nothing = z.strictObject({});

const ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: /^\/v1\/me$/,
    scope: null,
    run: (_vendor, { account, scopes }) => ({ json: { ...account, scopes } }),
  },
  {
    method: 'POST',
    path: /^\/v1\/events$/,
    scope: 'messages',
    run: (vendor, { account, body }) => {
      read(Nothing, body);
      return { json: { url: vendor.socketUrl((socket) => vendor.feedOf(account).attach(socket)) } };
    },
  },
  {
    method: 'PUT',
    path: /^\/v1\/webhook$/,
    scope: 'messages',
    run: async (vendor, { account, body }) => {
      const { url, secret } = read(WebhookBody, body);
      await vendor.subscribe(account, url, secret);
      return { json: {} };
    },
  },
  {
    method: 'POST',
    path: /^\/v1\/meetings\/([\w-]+)\/sessions$/,
    scope: 'calls',
    run: (vendor, { account, id, body }) => {
      const { name, media } = read(JoinBody, body);
      const session = vendor.meetingOf(id).join(account, name, media);
      const url = vendor.socketUrl((socket) => session.attachSignaling(socket));
      return { json: { id: session.id, url } };
    },
  },
  {
    method: 'DELETE',
    path: /^\/v1\/sessions\/([\w-]+)$/,
    scope: 'calls',
    run: (vendor, { account, id }) => {
      vendor.sessionOf(account, id).session.end('left');
      return { json: {} };
    },
  },
  {
    method: 'POST',
    path: /^\/v1\/sessions\/([\w-]+)\/chat$/,
    scope: 'calls',
    run: (vendor, { account, id, body }) => {
      const { text, files } = read(ChatBody, body);
      const { meeting, session } = vendor.sessionOf(account, id);
      return vendor.faults.meet(() => ({
        json: meeting.writtenBy(session, text, filesOf(vendor, files)),
      }));
    },
  },
  {
    method: 'POST',
    path: /^\/v1\/((?:spaces|people)\/[\w-]+)\/messages$/,
    scope: 'messages',
    run: (vendor, { account, id, body }) => {
      const { files, ...draft } = read(MessageBody, body);
      const message = { ...draft, files: filesOf(vendor, files) };
      return vendor.faults.meet(() => ({ json: vendor.spaceAt(account, id).write(account, message) }));
    },
  },
  {
    method: 'POST',
    path: /^\/v1\/((?:spaces|people)\/[\w-]+\/messages\/[\w-]+)\/reactions$/,
    scope: 'messages',
    run: (vendor, { account, id, body }) => {
      const { emoji, is_added: isAdded } = read(ReactionBody, body);
      const [space = '', messageId = ''] = id.split('/messages/');
      vendor.spaceAt(account, space).react(account, messageId, emoji, isAdded);
      return { json: {} };
    },
  },
  {
    method: 'POST',
    path: /^\/v1\/((?:spaces|people)\/[\w-]+)\/typing$/,
    scope: 'messages',
    run: (vendor, { account, id, body }) => {
      read(TypingBody, body);
      vendor.spaceAt(account, id).typing.push(account.name);
      return { json: {} };
    },
  },
  {
    method: 'POST',
    path: /^\/v1\/files$/,
    scope: null,
    run: (vendor, { body, header }) => ({
      json: vendor.files.keep(decodeURIComponent(header('x-file-name')), header('content-type'), body),
    }),
  },
  {
    method: 'GET',
    path: /^\/v1\/files\/([\w-]+)$/,
    scope: null,
    run: (vendor, { id }) => ({ file: vendor.files.get(id) }),
  },
];

/** Runs a request. Rejects with VendorError. */
export async function answerRequest(
  vendor: Vendor,
  { method, path }: { readonly method: string; readonly path: string },
  request: Omit<VendorRequest, 'id'>,
): Promise<Answer> {
  for (const endpoint of ENDPOINTS) {
    const match = endpoint.method === method && endpoint.path.exec(path);
    if (!match) continue;
    if (endpoint.scope !== null && !request.scopes.includes(endpoint.scope))
      throw new VendorError(403, 'missing_scope', `The token has no scope '${endpoint.scope}'`);
    return await endpoint.run(vendor, { ...request, id: match[1] ?? '' });
  }
  throw new VendorError(404, 'unknown_endpoint', `No endpoint ${method} ${path}`);
}

function read<T>(schema: z.ZodType<T>, body: Buffer): T {
  try {
    return schema.parse(JSON.parse(body.toString('utf8')));
  } catch (error) {
    const text = error instanceof z.ZodError ? z.prettifyError(error) : 'The body is not JSON';
    throw new VendorError(400, 'invalid_body', text);
  }
}

function filesOf(vendor: Vendor, ids: readonly string[]): FileFacts[] {
  return ids.map((id) => vendor.files.get(id).facts);
}
