import * as z from 'zod';
import type { OutboundFile, OutboundReaction } from '../contract/messenger.ts';
import { PlatformFailure } from '../kit/platform-failure.ts';
import { type CallOptions, fileUpload, type PlatformHttp } from '../kit/platform-http.ts';
import { wholeNumber } from './messages/message-text.ts';
import { Capabilities, listOf, Message, ROOM_TYPES, Room } from './objects.ts';
import { failureOf, type OcsClient } from './ocs-client.ts';

const TALK = 'apps/spreed/api';
/** A Nextcloud that lies may list hundreds of thousands. */
const MAX_ROOMS = 2_000;
/** Of a page; halved again and again where the page is too long to read. */
const PAGE_SIZES = [100, 10, 1] as const;
const HISTORY_SIZE = 200;
const UPLOAD_DEADLINE_MS = 120_000;
/** `IShare::TYPE_ROOM` */
const SHARE_WITH_ROOM = 10;
const EXISTS = 405;

/** What a Nextcloud says about its Talk. */
export interface TalkTraits {
  readonly features: ReadonlySet<string>;
  /** Where people's attachments are kept, such as `/Talk`. */
  readonly folder: string;
}

/** Where and how a text, or a file with a caption, is shown. */
export interface Posting {
  readonly token: string;
  readonly text: string;
  /** 64 hexadecimal digits, by which the message is found again. */
  readonly referenceId: string;
  /** Id of the message that began the thread; null: outside threads. */
  readonly thread?: string | null;
  /** Id of the message that it answers. */
  readonly replyTo?: string | undefined;
  readonly isSilent?: boolean;
}

/** Talk's API as one user (https://nextcloud-talk.readthedocs.io). Rejections are PlatformFailures. */
export class TalkApi {
  readonly ocs: OcsClient;
  readonly #http: PlatformHttp;

  constructor(http: PlatformHttp, ocs: OcsClient) {
    this.#http = http;
    this.ocs = ocs;
  }

  /** Rejects with kind `refused` where there is no Talk. */
  async traits(options: Partial<CallOptions>): Promise<TalkTraits> {
    const request = { method: 'GET', path: 'cloud/capabilities', ...options } as const;
    const { spreed } = (await this.ocs.ask(request, Capabilities)).data.capabilities;
    if (!spreed) throw new PlatformFailure('refused', 'The Nextcloud has no Talk, or not for this user');
    const { features = [], config } = spreed;
    return { features: new Set(features), folder: config?.attachments?.folder || '/Talk' };
  }

  /** Lists the user's rooms: those with something new since `modifiedSince`, or all. */
  async rooms(
    modifiedSince: number | null,
    options: Partial<CallOptions>,
  ): Promise<{ readonly rooms: readonly Room[]; readonly modifiedBefore: number | null }> {
    const query = { noStatusUpdate: 1, ...(modifiedSince !== null && { modifiedSince }) };
    const request = { method: 'GET', path: `${TALK}/v4/room`, query, ...options } as const;
    const { data, headers } = await this.ocs.ask(request, listOf(Room, MAX_ROOMS));
    return { rooms: data, modifiedBefore: wholeNumber(headers.get('x-nextcloud-talk-modified-before')) };
  }

  async room(token: string, options: Partial<CallOptions>): Promise<Room> {
    return (await this.ocs.ask({ method: 'GET', path: `${TALK}/v4/room/${token}`, ...options }, Room)).data;
  }

  /** Returns the conversation of the two, and makes it first if there is none. */
  async directRoom(userId: string, options: Partial<CallOptions>): Promise<Room> {
    const json = { roomType: ROOM_TYPES.oneToOne, invite: userId };
    return (await this.ocs.ask({ method: 'POST', path: `${TALK}/v4/room`, json, ...options }, Room)).data;
  }

  /**
   * Returns the page of messages after one of this id, oldest first, and the id to go on from: null at the end. `waitS`: how
   * long to wait for the first of them, in seconds.
   */
  async messagesAfter(
    token: string,
    lastId: number,
    options: Partial<CallOptions>,
    waitS = 0,
  ): Promise<{ readonly messages: readonly Message[]; readonly nextId: number | null }> {
    const query = {
      lookIntoFuture: 1,
      lastKnownMessageId: lastId,
      timeout: waitS,
      setReadMarker: 1,
      noStatusUpdate: 1,
    };
    for (const limit of PAGE_SIZES) {
      const request = {
        method: 'GET',
        path: chatPath(token),
        query: { ...query, limit },
        ...options,
      } as const;
      try {
        const { data, headers } = await this.ocs.ask(request, listOf(Message, limit));
        const given = wholeNumber(headers.get('x-chat-last-given')) ?? data.at(-1)?.id ?? null;
        return { messages: data, nextId: given !== null && given > lastId ? given : null };
      } catch (error) {
        // Its answer may be longer than any that is read.
        if (failureOf(error).status !== 0 || limit === 1) throw error;
      }
    }
    return { messages: [], nextId: null };
  }

  /** Returns up to 200 messages before one of this id, or the last ones, newest first. */
  async messagesBefore(
    token: string,
    id: number,
    options: Partial<CallOptions>,
  ): Promise<readonly Message[]> {
    const query = { lookIntoFuture: 0, limit: HISTORY_SIZE, setReadMarker: 0, noStatusUpdate: 1 };
    const request = {
      method: 'GET',
      path: chatPath(token),
      query: { ...query, ...(id > 0 && { lastKnownMessageId: id }) },
      ...options,
    } as const;
    return (await this.ocs.ask(request, listOf(Message, HISTORY_SIZE))).data;
  }

  /** Returns the id of the message. */
  async post(
    { token, text, referenceId, thread, replyTo, isSilent }: Posting,
    options: Partial<CallOptions>,
  ): Promise<number> {
    const json = {
      message: text,
      referenceId,
      ...(thread && { threadId: Number(thread) }),
      ...(replyTo !== undefined && { replyTo: Number(replyTo) }),
      ...(isSilent && { silent: true }),
    };
    return (await this.ocs.ask({ method: 'POST', path: chatPath(token), json, ...options }, Message)).data.id;
  }

  /** Adds a reaction of the user, or takes it back (https://nextcloud-talk.readthedocs.io/en/latest/reaction/). */
  async react(
    token: string,
    { platformMessageId, emoji: reaction, isAdded }: OutboundReaction,
    options: Partial<CallOptions>,
  ): Promise<void> {
    const path = `${TALK}/v1/reaction/${token}/${encodeURIComponent(platformMessageId)}`;
    const request = { method: isAdded ? 'POST' : 'DELETE', path, json: { reaction }, ...options } as const;
    await this.ocs.ask(request, z.unknown());
  }

  /** https://nextcloud-talk.readthedocs.io/en/latest/chat/#editing-a-chat-message */
  async editMessage(token: string, id: number, text: string, options: Partial<CallOptions>): Promise<void> {
    const request = {
      method: 'PUT',
      path: `${chatPath(token)}/${id}`,
      json: { message: text },
      ...options,
    } as const;
    await this.ocs.ask(request, z.unknown());
  }

  /** Best effort: Talk keeps the place of a deleted message. */
  async deleteMessage(token: string, id: number, options: Partial<CallOptions>): Promise<void> {
    await this.ocs.ask({ method: 'DELETE', path: `${chatPath(token)}/${id}`, ...options }, z.unknown());
  }

  /** Uploads a file below a folder of the user's, which is made, and returns its path. */
  async upload(folder: string, file: OutboundFile, signal: AbortSignal): Promise<string> {
    const parts = folder.split('/').filter((part) => part !== '');
    for (const index of parts.keys()) await this.#makeFolder(parts.slice(0, index + 1).join('/'), signal);
    const path = [...parts, fileName(file.name)].join('/');
    const upload = fileUpload(file);
    await this.#dav({
      method: 'PUT',
      url: this.#davUrl(path),
      upload,
      deadlineMs: UPLOAD_DEADLINE_MS,
      signal,
    });
    return path;
  }

  /** Shows an uploaded file in a room. Talk does not tell the id of its message. */
  async share(path: string, posting: Posting, options: Partial<CallOptions>): Promise<void> {
    const { token, text, referenceId, thread, replyTo } = posting;
    const talkMetaData = {
      messageType: 'comment',
      ...(replyTo !== undefined && { replyTo: Number(replyTo) }),
      ...(text !== '' && { caption: text }),
      ...(thread && { threadId: Number(thread) }),
    };
    const json = {
      shareType: SHARE_WITH_ROOM,
      shareWith: token,
      path: `/${path}`,
      referenceId,
      talkMetaData: JSON.stringify(talkMetaData),
    };
    const request = { method: 'POST', path: 'apps/files_sharing/api/v1/shares', json, ...options } as const;
    await this.ocs.ask(request, z.unknown());
  }

  /** Opens the bytes of a file by its path among the user's. Rejects with GatewayError `file_gone` or `platform_failed`. */
  async openFile(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const headers = { authorization: this.ocs.authorization };
    return await this.#http.openFile({ url: this.#davUrl(path), headers, signal });
  }

  async #makeFolder(path: string, signal: AbortSignal): Promise<void> {
    const url = this.#davUrl(path);
    await this.#dav({ method: 'MKCOL', url, deadlineMs: UPLOAD_DEADLINE_MS, signal }, EXISTS);
  }

  async #dav(request: Parameters<PlatformHttp['ask']>[0], allowed = 0): Promise<void> {
    const headers = { authorization: this.ocs.authorization };
    const { isOk, status, retryAfterMs } = await this.#http.ask({ ...request, headers });
    if (isOk || status === allowed) return;
    const words = `the upload got HTTP status ${status}`;
    const isLater = status === 423 || status === 429 || status === 503;
    if (isLater) throw new PlatformFailure('later', words, { status, afterMs: retryAfterMs ?? 0 });
    const kind = status >= 500 && status !== 507 ? 'unclear' : 'refused';
    throw new PlatformFailure(kind, words, { status, isLoggedOut: status === 401 });
  }

  #davUrl(path: string): string {
    const { server, userId } = this.ocs.user;
    const parts = [userId, ...path.split('/').filter((part) => part !== '')];
    return `${server}/remote.php/dav/files/${parts.map(encodeURIComponent).join('/')}`;
  }
}

function chatPath(token: string): string {
  return `${TALK}/v1/chat/${token}`;
}

/** Nextcloud takes no slash in a name, and no name of dots. */
function fileName(name: string): string {
  const safe = name.replace(/[/\\\p{Cc}]/gu, '_').trim();
  return /^\.*$/.test(safe) ? `file${safe}` : safe;
}
