import * as z from 'zod';
import type { LoopbackApi } from '../messages/loopback-api.ts';
import { readMessage } from '../messages/vendor-messages.ts';
import type { MeetingAddress } from './meeting-url.ts';
import { JoinedSession, SessionMessage } from './session-messages.ts';

export type SessionEvent = z.output<typeof SessionMessage>;

export interface SessionObserver {
  /** What the vendor says, in order. */
  message(event: SessionEvent): void;
  /** The socket is gone although the vendor has not ended the session. */
  lost(reason: string): void;
}

/** The agent in a meeting, or in its lobby. */
export class MeetingSession {
  readonly id: string;
  readonly #api: LoopbackApi;
  readonly #socket: WebSocket;

  private constructor(api: LoopbackApi, { id, url }: z.output<typeof JoinedSession>) {
    this.#api = api;
    this.id = id;
    this.#socket = new WebSocket(url);
  }

  /** Asks to be let in. Rejects as LoopbackApi.call does. */
  static async join(
    api: LoopbackApi,
    { id, media }: MeetingAddress,
    name: string,
    signal: AbortSignal,
  ): Promise<MeetingSession> {
    const request = { method: 'POST', path: `meetings/${id}/sessions`, json: { name, media } } as const;
    return new MeetingSession(api, await api.call(request, JoinedSession, signal));
  }

  get isConnected(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Call it at once: what the vendor said before is lost. */
  observe(observer: SessionObserver): void {
    let isOver = false;
    this.#socket.addEventListener('message', ({ data }) => {
      const event = readMessage(SessionMessage, String(data));
      if (event === null) return this.#socket.close();
      isOver ||= event.type === 'ended';
      observer.message(event);
    });
    this.#socket.addEventListener('close', () => {
      if (!isOver) observer.lost('the vendor closed the signaling connection');
    });
  }

  showTyping(): void {
    this.#socket.send(JSON.stringify({ type: 'typing' }));
  }

  /** Leaves the meeting. Never rejects. */
  async leave(signal: AbortSignal): Promise<void> {
    const request = { method: 'DELETE', path: `sessions/${this.id}` } as const;
    await this.#api.call(request, z.unknown(), signal).catch(() => undefined);
    this.#socket.close();
  }
}
