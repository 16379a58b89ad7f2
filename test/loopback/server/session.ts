import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import * as z from 'zod';
import type { Account } from './accounts.ts';
import { HeardAudio } from './heard-audio.ts';
import { type MediaFormat, OpusPackets, PcmFormat } from './media-format.ts';
import type { Participant } from './participant.ts';

export type MediaKind = 'pcm' | 'packets';

/** What the vendor says on a session's own socket. */
export type SessionMessage =
  | { readonly type: 'waiting'; readonly reason: string }
  | { readonly type: 'joined'; readonly media_url: string }
  | { readonly type: 'participants'; readonly participants: readonly { id: string; name: string }[] }
  | { readonly type: 'chat'; readonly message: object }
  | { readonly type: 'ended'; readonly reason: string };

/** What the vendor says on the media socket, beside audio. */
export type MediaMessage =
  | {
      readonly type: 'voices';
      readonly voices: readonly { voice: number; ssrc: number; participant: string }[];
    }
  | { readonly type: 'speaking'; readonly voice: number; readonly on: boolean };

const Typing = z.strictObject({ type: z.literal('typing') });

/** An app in a meeting: one socket for signaling, one for media. */
export class Session {
  readonly id = randomUUID();
  readonly account: Account;
  readonly name: string;
  readonly heard = new HeardAudio();
  state: 'waiting' | 'joined' | 'over' = 'waiting';
  readonly #format: MediaFormat;
  readonly #onTyping: (session: Session) => void;
  /** What came before the socket. */
  #unsent: SessionMessage[] = [];
  #signaling: WebSocket | null = null;
  #media: WebSocket | null = null;

  constructor(
    account: Account,
    name: string,
    media: { readonly kind: MediaKind; readonly ssrcOf: (voice: number) => number },
    onTyping: (session: Session) => void,
  ) {
    this.account = account;
    this.name = name;
    this.#format = media.kind === 'pcm' ? new PcmFormat() : new OpusPackets(media.ssrcOf);
    this.#onTyping = onTyping;
  }

  get hasMedia(): boolean {
    return this.#media !== null;
  }

  tell(message: SessionMessage): void {
    if (this.#signaling === null) this.#unsent.push(message);
    else this.#signaling.send(JSON.stringify(message));
  }

  tellMedia(message: MediaMessage): void {
    this.#media?.send(JSON.stringify(message));
  }

  attachSignaling(socket: WebSocket): void {
    this.#signaling = socket;
    for (const message of this.#unsent) socket.send(JSON.stringify(message));
    this.#unsent = [];
    socket.on('message', (data) => {
      if (Typing.safeParse(JSON.parse(String(data))).success) this.#onTyping(this);
      else socket.close(4000, 'unknown message');
    });
  }

  /** One media socket at a time: a new one replaces the former. */
  attachMedia(socket: WebSocket): void {
    this.#media?.terminate();
    this.#media = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      try {
        if (!isBinary) throw new Error('audio is binary');
        this.heard.add(this.#format.read(data));
      } catch (error) {
        socket.close(4000, (error as Error).message);
      }
    });
    socket.on('close', () => {
      if (this.#media === socket) this.#media = null;
    });
  }

  hear(from: Participant, frame: Int16Array): void {
    this.#media?.send(this.#format.write(from.voice, frame));
  }

  /** Sends the app these bytes as media, whatever they are. */
  sendRawMedia(bytes: Uint8Array | string): void {
    this.#media?.send(bytes);
  }

  /** Cuts the media connection, as a failing network does. */
  cutMedia(): void {
    this.#media?.terminate();
  }

  /** Sends the app this text as signaling, whatever it is. */
  sendRawSignaling(text: string): void {
    this.#signaling?.send(text);
  }

  cutSignaling(): void {
    this.#signaling?.terminate();
  }

  end(reason: string): void {
    if (this.state === 'over') return;
    this.state = 'over';
    this.tell({ type: 'ended', reason });
    this.#signaling?.close();
    this.#media?.close();
  }
}
