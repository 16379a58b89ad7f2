import type { Janus } from './janus.ts';
import { JANUS_PROTOCOL } from './janus.ts';
import { within } from './wait-for.ts';

const PLUGIN = 'janus.plugin.videoroom';
const KEEP_ALIVE_MS = 20_000;

/** What Janus says, as far as tests look at it. */
interface JanusMessage {
  readonly janus: string;
  readonly transaction?: string;
  readonly sender?: number;
  readonly data?: { readonly id: number };
  readonly error?: { readonly reason: string };
  readonly plugindata?: { readonly data: Readonly<Record<string, unknown>> };
  readonly jsep?: Jsep;
  readonly candidate?: { readonly candidate?: string; readonly sdpMLineIndex?: number };
}

export interface Jsep {
  readonly type: 'offer' | 'answer';
  readonly sdp: string;
}

/** What a peer connection calls a candidate; null: there are no more. */
export type JanusCandidate = { readonly candidate: string; readonly sdpMLineIndex: number } | null;

type CandidateTaker = (candidate: { readonly candidate: string; readonly sdpMLineIndex: number }) => void;

/** A session with Janus' video room over its WebSocket. */
export class JanusSession {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<string, (message: JanusMessage) => void>();
  readonly #timer: NodeJS.Timeout;
  readonly #candidates = new Map<number, CandidateTaker>();
  #sessionId = 0;
  #transactions = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }: { data: string }) => this.#take(JSON.parse(data)));
    this.#timer = setInterval(() => this.#send({ janus: 'keepalive' }), KEEP_ALIVE_MS);
  }

  static async open({ url }: Pick<Janus, 'url'>): Promise<JanusSession> {
    const socket = new WebSocket(url, JANUS_PROTOCOL);
    const opened = new Promise((resolve) => void socket.addEventListener('open', resolve));
    await within('Janus to accept a WebSocket', opened);
    const session = new JanusSession(socket);
    session.#sessionId = (await session.request({ janus: 'create' })).data!.id;
    return session;
  }

  /** A handle of the video room: one peer connection. `take` gets Janus' candidates. */
  async attach(take: CandidateTaker = () => undefined): Promise<JanusHandle> {
    const { data } = await this.request({ janus: 'attach', plugin: PLUGIN });
    this.#candidates.set(data!.id, take);
    return new JanusHandle(this, data!.id);
  }

  /** Resolves with the answer, which for some requests comes after an acknowledgement. */
  async request(message: Record<string, unknown>): Promise<JanusMessage> {
    const transaction = `${++this.#transactions}`;
    const { promise, resolve } = Promise.withResolvers<JanusMessage>();
    this.#waiting.set(transaction, resolve);
    this.#send({ ...message, transaction });
    const answer = await within(`Janus to answer ${JSON.stringify(message)}`, promise);
    const { error, plugindata } = answer;
    if (error !== undefined) throw new Error(`Janus: ${error.reason}`);
    if (plugindata?.data.error !== undefined) throw new Error(`Janus: ${plugindata.data.error}`);
    return answer;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#socket.close();
  }

  #send(message: Record<string, unknown>): void {
    const session = this.#sessionId === 0 ? {} : { session_id: this.#sessionId };
    this.#socket.send(JSON.stringify({ transaction: '-', ...session, ...message }));
  }

  #take(message: JanusMessage): void {
    const { candidate = '', sdpMLineIndex = 0 } = message.candidate ?? {};
    if (message.janus === 'trickle' && candidate !== '')
      this.#candidates.get(message.sender!)?.({
        candidate: `candidate:${candidate.replace(/^(a=)?candidate:/, '')}`,
        sdpMLineIndex,
      });
    const isInterim = message.janus === 'ack' && message.plugindata === undefined;
    if (message.transaction === undefined || isInterim) return;
    this.#waiting.get(message.transaction)?.(message);
    this.#waiting.delete(message.transaction);
  }
}

/** One peer connection of Janus, as the publisher of a room or as a subscriber of one of its publishers. */
export class JanusHandle {
  readonly #session: JanusSession;
  readonly #id: number;

  constructor(session: JanusSession, id: number) {
    this.#session = session;
    this.#id = id;
  }

  async createRoom(): Promise<number> {
    const request = { request: 'create', audiocodec: 'opus', videocodec: 'vp8', publishers: 32 };
    return (await this.#say(request)).data.room as number;
  }

  async publish(room: number, id: number, offer: string): Promise<string> {
    const request = { request: 'joinandconfigure', ptype: 'publisher', room, id, audio: true, video: true };
    return (await this.#say(request, { type: 'offer', sdp: offer })).jsep!.sdp;
  }

  /** Returns Janus' offer with all that the publisher sends. */
  async subscribe(room: number, feed: number): Promise<string> {
    return (await this.#say({ request: 'join', ptype: 'subscriber', room, streams: [{ feed }] })).jsep!.sdp;
  }

  async answer(sdp: string): Promise<void> {
    await this.#say({ request: 'start' }, { type: 'answer', sdp });
  }

  async trickle(candidate: JanusCandidate): Promise<void> {
    const told = candidate ?? { completed: true };
    await this.#session.request({ janus: 'trickle', handle_id: this.#id, candidate: told }).catch(() => {});
  }

  async detach(): Promise<void> {
    await this.#session.request({ janus: 'detach', handle_id: this.#id });
  }

  async #say(body: Record<string, unknown>, jsep?: Jsep) {
    const message = { janus: 'message', handle_id: this.#id, body, ...(jsep && { jsep }) };
    const { plugindata, jsep: answered } = await this.#session.request(message);
    return { data: plugindata!.data, jsep: answered };
  }
}
