import type { IceCandidate } from '../../src/media/ice.ts';
import type { FakeNextcloud } from '../fakes/nextcloud/fake-nextcloud.ts';
import type { FakeNcUser } from '../fakes/nextcloud/world/fake-nc-user.ts';
import type { FakeRoom } from '../fakes/nextcloud/world/fake-room.ts';
import { waitFor, within } from './wait-for.ts';
import type { WebRtcPeople } from './webrtc-people.ts';

/** As Talk in browsers does. */
const ASK_AGAIN_MS = 5_000;

interface Signal {
  readonly id?: string;
  readonly type: string;
  readonly hello?: { readonly sessionid: string };
  readonly error?: { readonly code: string };
  readonly message?: { readonly sender: { readonly sessionid: string }; readonly data: PeerSignal };
  readonly event?: {
    readonly target: string;
    readonly type: string;
    readonly leave?: readonly string[];
    readonly update?: { readonly users?: readonly CallUser[] };
  };
}
interface CallUser {
  readonly sessionId: string;
  readonly userId?: string;
  readonly inCall: number;
}
interface PeerSignal {
  readonly type: string;
  readonly sid?: string;
  readonly payload?: { readonly sdp?: string; readonly candidate?: IceCandidate; readonly name?: string };
}

export interface PersonWorld {
  readonly nextcloud: FakeNextcloud;
  readonly room: FakeRoom;
  /** Their own way to the signaling server. */
  readonly signalingUrl: string;
  readonly people: WebRtcPeople;
}

/**
 * Somebody in a call of Nextcloud Talk, with a signaling session of their own and libwebrtc for the media: they say a tone, and
 * listen to whomever a test has them listen to.
 */
export class TalkPerson {
  readonly user: FakeNcUser;
  /** What others have told them, such as that they can be heard now. */
  readonly told: { readonly from: string; readonly type: string }[] = [];
  readonly #nextcloud: FakeNextcloud;
  readonly #room: FakeRoom;
  readonly #signalingUrl: string;
  readonly #people: WebRtcPeople;
  readonly #answers = new Map<string, (answer: Signal) => void>();
  readonly #users = new Map<string, CallUser>();
  #socket!: WebSocket;
  #cookie = '';
  #sessionId = '';
  #requests = 0;
  /** What each connection of theirs is called at the server: the session, and the exchange. */
  readonly #streams = new Map<string, { readonly sessionId: string; readonly sid: string }>();

  constructor({ nextcloud, room, signalingUrl, people }: PersonWorld, user: FakeNcUser) {
    this.#nextcloud = nextcloud;
    this.#room = room;
    this.#signalingUrl = signalingUrl;
    this.#people = people;
    this.user = user;
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  /** Enters the room and its call. */
  async enter(flags = 3): Promise<void> {
    const { token } = this.#room;
    const { sessionId } = await this.#ocs('POST', `v4/room/${token}/participants/active`, { force: true });
    const settings = await this.#ocs('GET', `v3/signaling/settings?token=${token}`);
    await this.#signOn(settings);
    await this.#request({ type: 'room', room: { roomid: token, sessionid: sessionId } });
    await this.#ocs('POST', `v4/call/${token}`, { flags, silent: true, recordingConsent: true });
    await waitFor(`${this.user.uid} to be in the call`, () => this.inCallOf(this.#sessionId) === flags);
  }

  /** Says a tone from now on. Resolves once the media server has it. */
  async say(toneHz: number): Promise<void> {
    const name = `${this.user.uid} says`;
    this.#streams.set(name, { sessionId: this.#sessionId, sid: `${Date.now()}` });
    const sdp = await this.#people.order('publish', name, toneHz);
    this.#tell(name, { type: 'offer', payload: { type: 'offer', sdp } });
    await waitFor(`${name}`, () => this.#people.states.get(name) === 'connected');
  }

  /** Says nothing more. */
  async hush(): Promise<void> {
    await this.#people.order('close', `${this.user.uid} says`);
  }

  /** Listens to somebody, for the first time or again. Resolves once there is a connection, which is asked for until then. */
  async listenTo(sessionId: string): Promise<void> {
    const name = this.#nameOf(sessionId);
    this.#people.states.delete(name);
    let askedMs = Number.NEGATIVE_INFINITY;
    await waitFor(`${this.user.uid} to hear`, () => {
      if (performance.now() - askedMs > ASK_AGAIN_MS) {
        this.#send(sessionId, { type: 'requestoffer' });
        askedMs = performance.now();
      }
      return this.#people.states.get(name) === 'connected';
    });
  }

  /** What they hear of somebody from now on, at 48,000 Hz. */
  async hear(sessionId: string, lengthMs = 1_500): Promise<Int16Array> {
    return await this.#people.hear(this.#nameOf(sessionId), lengthMs);
  }

  /** What they have heard of somebody since the last time. */
  async heardNow(sessionId: string): Promise<Int16Array> {
    return await this.#people.order('heard', this.#nameOf(sessionId));
  }

  /** In-call flags of a session, as they were last told. */
  inCallOf(sessionId: string): number {
    return this.#users.get(sessionId)?.inCall ?? 0;
  }

  /** The session with which a user is in the call; '' while there is none. */
  sessionOf({ uid }: FakeNcUser): string {
    const found = [...this.#users.values()].findLast(({ userId, inCall }) => userId === uid && inCall !== 0);
    return found?.sessionId ?? '';
  }

  /** Tells a session something by the server's way for moderators. */
  control(sessionId: string, data: object): void {
    this.#socket.send(
      JSON.stringify({
        type: 'control',
        control: { recipient: { type: 'session', sessionid: sessionId }, data },
      }),
    );
  }

  /** A candidate of one of their connections. */
  candidate(name: string, candidate: IceCandidate): void {
    if (this.#streams.has(name)) this.#tell(name, { type: 'candidate', payload: { candidate } });
  }

  async leave(all = false): Promise<void> {
    await this.#ocs('DELETE', `v4/call/${this.#room.token}`, { all });
  }

  close(): void {
    this.#socket?.close();
  }

  #nameOf(sessionId: string): string {
    return `${this.user.uid} hears ${sessionId}`;
  }

  async #signOn(settings: { readonly helloAuthParams: { readonly '2.0': object } }): Promise<void> {
    this.#socket = new WebSocket(`${this.#signalingUrl.replace(/^http/, 'ws')}/spreed`);
    const welcome = Promise.withResolvers<void>();
    this.#socket.addEventListener('message', ({ data }: { data: string }) => {
      const signal = JSON.parse(data) as Signal;
      if (signal.type === 'welcome') welcome.resolve();
      void this.#take(signal);
    });
    await within('a welcome', welcome.promise);
    const url = `${this.#nextcloud.url}/ocs/v2.php/apps/spreed/api/v3/signaling/backend`;
    const auth = { url, params: settings.helloAuthParams['2.0'] };
    const { hello } = await this.#request({ type: 'hello', hello: { version: '2.0', auth } });
    this.#sessionId = hello!.sessionid;
  }

  async #take(signal: Signal): Promise<void> {
    this.#answers.get(signal.id ?? '')?.(signal);
    for (const user of signal.event?.update?.users ?? []) this.#users.set(user.sessionId, user);
    for (const sessionId of signal.event?.leave ?? []) this.#users.delete(sessionId);
    const { message } = signal;
    if (message === undefined) return;
    const { sender, data } = message;
    const { sessionid: from } = sender;
    this.told.push({ from, type: data.type });
    if (data.type === 'answer')
      await this.#people.order('answered', `${this.user.uid} says`, data.payload!.sdp!);
    if (data.type === 'offer') await this.#answer(from, data);
    if (data.type === 'candidate' && data.payload?.candidate?.candidate) await this.#addCandidate(from, data);
  }

  async #answer(from: string, { sid = '', payload }: PeerSignal): Promise<void> {
    const name = this.#nameOf(from);
    this.#streams.set(name, { sessionId: from, sid });
    const sdp = await this.#people.order('listen', name, payload!.sdp!);
    this.#tell(name, { type: 'answer', payload: { type: 'answer', sdp } });
  }

  async #addCandidate(from: string, { payload }: PeerSignal): Promise<void> {
    const name = from === this.#sessionId ? `${this.user.uid} says` : this.#nameOf(from);
    await this.#people.order('candidate', name, payload!.candidate!).catch(() => undefined);
  }

  #tell(name: string, data: object): void {
    const { sessionId, sid } = this.#streams.get(name)!;
    this.#send(sessionId, { ...data, sid });
  }

  #send(to: string, data: object): void {
    const message = {
      recipient: { type: 'session', sessionid: to },
      data: { to, roomType: 'video', ...data },
    };
    this.#socket.send(JSON.stringify({ type: 'message', message }));
  }

  async #request(message: object): Promise<Signal> {
    const id = `${++this.#requests}`;
    const { promise, resolve } = Promise.withResolvers<Signal>();
    this.#answers.set(id, resolve);
    this.#socket.send(JSON.stringify({ ...message, id }));
    const answer = await within('the signaling server to answer', promise);
    if (answer.error) throw new Error(answer.error.code);
    return answer;
  }

  // biome-ignore lint/suspicious/noExplicitAny: a person reads the fields that they need
  async #ocs(method: string, path: string, json?: object): Promise<any> {
    const { uid, password } = this.user;
    const answer = await fetch(`${this.#nextcloud.url}/ocs/v2.php/apps/spreed/api/${path}`, {
      method,
      headers: {
        accept: 'application/json',
        'ocs-apirequest': 'true',
        authorization: `Basic ${Buffer.from(`${uid}:${password}`).toString('base64')}`,
        ...(json && { 'content-type': 'application/json' }),
        ...(this.#cookie && { cookie: this.#cookie }),
      },
      ...(json && { body: JSON.stringify(json) }),
    });
    const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0]);
    if (cookies.length > 0) this.#cookie = cookies.join('; ');
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    const { ocs } = (await answer.json()) as { ocs: { data: unknown } };
    return ocs.data;
  }
}
