import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../../../support/certificate.ts';
import type { VoiceHost, VoiceSession } from '../voice-host.ts';
import { BotSession } from './bot-session.ts';
import type { Identify, Resume } from './client-messages.ts';
import type { ClientSocketDeps } from './client-socket.ts';
import { type CloseCode, VoiceRefusal } from './close-codes.ts';
import { ExpectedStays } from './expected-stays.ts';
import { Person } from './person.ts';
import { TRANSPORT_MODES, type TransportMode } from './transport-cipher.ts';
import { VoiceCall } from './voice-call.ts';
import { VoiceServer } from './voice-server.ts';

export interface FakeVoiceOptions {
  /** The modes on offer, the preferred one first. */
  readonly modes?: readonly TransportMode[];
  readonly heartbeatIntervalMs?: number;
}

/** An Identify or a Resume. */
export interface Attempt {
  /** On the clock of `performance.now()`. */
  readonly atMs: number;
  readonly kind: 'identify' | 'resume';
  /** Unknown where no session is resumed. */
  readonly userId: string | null;
  /** What the connection was closed with; null when it was taken. */
  readonly code: CloseCode | null;
}

const HEARTBEAT_INTERVAL_MS = 13_750;
const FIRST_SSRC = 100_000;
/** After these the session has to be asked for anew at the main gateway. */
const FINAL_CODES: readonly CloseCode[] = [4004, 4006, 4011, 4014, 4022];

/** Discord's voice servers on loopback. Clients have to trust the certificate in `caFile`. */
export class FakeVoice implements VoiceHost {
  readonly caFile: string;
  readonly attempts: Attempt[] = [];
  readonly #refusals: string[] = [];
  readonly #modes: readonly TransportMode[];
  readonly #heartbeatIntervalMs: number;
  readonly #folder: string;
  readonly #keyFile: string;
  readonly #stays = new ExpectedStays();
  readonly #calls = new Map<string, VoiceCall>();
  readonly #people = new Map<string, Person>();
  readonly #sessions = new Set<BotSession>();
  readonly #servers: VoiceServer[] = [];
  #refusing: { readonly code: CloseCode; times: number } | null = null;
  #lastSsrc = FIRST_SSRC;

  private constructor({ modes, heartbeatIntervalMs }: FakeVoiceOptions) {
    this.#modes = modes ?? TRANSPORT_MODES;
    this.#heartbeatIntervalMs = heartbeatIntervalMs ?? HEARTBEAT_INTERVAL_MS;
    this.#folder = mkdtempSync(join(tmpdir(), 'discord-voice-'));
    const { certPath, keyPath } = makeCertificate(this.#folder);
    this.caFile = certPath;
    this.#keyFile = keyPath;
  }

  static async start(options: FakeVoiceOptions = {}): Promise<FakeVoice> {
    const voice = new FakeVoice(options);
    await voice.changeServer();
    return voice;
  }

  /** Of the current server; `changeServer` changes it. */
  get endpoint(): string {
    return this.server.endpoint;
  }

  get server(): VoiceServer {
    return this.#servers.at(-1)!;
  }

  /** What no client of Discord does: tests expect none but those that they provoke. */
  get offences(): readonly string[] {
    const ofCalls = [...this.#calls.values()].flatMap(({ dave }) => dave.offences);
    const ofSessions = [...this.#sessions].flatMap(({ offences }) => offences);
    return [...this.#refusals, ...ofCalls, ...ofSessions];
  }

  /** Sessions go to another server from now on; those of the former one stay until they end. */
  async changeServer(): Promise<void> {
    const tls = { key: readFileSync(this.#keyFile), cert: readFileSync(this.caFile) };
    this.#servers.push(await VoiceServer.open(tls, (server) => this.#socketDeps(server)));
  }

  async stop(): Promise<void> {
    for (const person of this.#people.values()) person.stop();
    for (const session of this.#sessions) session.end();
    for (const call of this.#calls.values()) call.close();
    for (const server of this.#servers) await server.close();
    rmSync(this.#folder, { recursive: true });
  }

  expect(stay: VoiceSession): void {
    const former = this.#stays.expect(stay);
    if (former && former.channelId !== stay.channelId) this.#leave(former);
  }

  left(guildId: string, userId: string): void {
    const stay = this.#stays.end(guildId, userId);
    if (stay) this.#leave(stay);
  }

  /** A person comes into the channel. `hasDave: false` is an old client, with which everybody does without DAVE. */
  addPerson(channelId: string, userId: string, name: string, { hasDave = true } = {}): Person {
    const call = this.call(channelId);
    const person = new Person(call, { userId, name, ssrc: this.#newSsrc(), hasDave });
    this.#people.set(`${channelId}:${userId}`, person);
    call.join(person);
    call.startMedia(person);
    return person;
  }

  removePerson(channelId: string, userId: string): void {
    const key = `${channelId}:${userId}`;
    this.#people.get(key)?.stop();
    if (this.#people.delete(key)) this.call(channelId).leave(userId);
  }

  person(channelId: string, userId: string): Person | null {
    return this.#people.get(`${channelId}:${userId}`) ?? null;
  }

  call(channelId: string): VoiceCall {
    const known = this.#calls.get(channelId);
    if (known) return known;
    const call = new VoiceCall(channelId);
    this.#calls.set(channelId, call);
    return call;
  }

  /** The bot's session, in any guild or in this one; null when there is none. */
  session(userId: string, guildId?: string): BotSession | null {
    const isTheirs = ({ stay }: BotSession) =>
      stay.userId === userId && (guildId === undefined || stay.guildId === guildId);
    return [...this.#sessions].find(isTheirs) ?? null;
  }

  /** Ends a bot's session with one of Discord's close codes. After 4015 it may resume. */
  close(session: BotSession, code: CloseCode): void {
    if (FINAL_CODES.includes(code)) this.#stays.end(session.stay.guildId, session.stay.userId);
    session.close(code);
  }

  /** Closes the next so many attempts to identify or to resume with this code. */
  refuse(code: CloseCode, times = 1): void {
    this.#refusing = { code, times };
  }

  #leave({ guildId, channelId, userId }: VoiceSession): void {
    this.removePerson(channelId, userId);
    this.session(userId, guildId)?.close(4014);
  }

  #socketDeps(server: VoiceServer): ClientSocketDeps {
    return {
      heartbeatIntervalMs: this.#heartbeatIntervalMs,
      offence: (what) => this.#refusals.push(what),
      identify: (identify) =>
        this.#attempt('identify', identify.user_id, () => this.#identify(server, identify)),
      resume: (resume) => {
        const session = this.#resumable(server, resume);
        return this.#attempt('resume', session?.userId ?? null, () => {
          if (!session) throw new VoiceRefusal(4006, `resumes ${resume.session_id}`);
          if (session.stay.token !== resume.token)
            throw new VoiceRefusal(4004, `the token of ${session.userId}`);
          return session;
        });
      },
    };
  }

  #attempt(kind: Attempt['kind'], userId: string | null, take: () => BotSession): BotSession {
    const atMs = performance.now();
    try {
      this.#refuse();
      const session = take();
      this.attempts.push({ atMs, kind, userId, code: null });
      return session;
    } catch (error) {
      const code = error instanceof VoiceRefusal ? error.code : 4020;
      this.attempts.push({ atMs, kind, userId, code });
      throw error;
    }
  }

  #refuse(): void {
    if (!this.#refusing || this.#refusing.times < 1) return;
    this.#refusing.times -= 1;
    throw new VoiceRefusal(this.#refusing.code, 'as the test asked', false);
  }

  #identify(server: VoiceServer, identify: Identify): BotSession {
    if (server !== this.server) throw new VoiceRefusal(4011, 'a server of the past');
    const stay = this.#stays.check(identify);
    const hasDave = (identify.max_dave_protocol_version ?? 0) > 0;
    if (!hasDave) throw new VoiceRefusal(4017, 'a client without DAVE');
    this.session(stay.userId, stay.guildId)?.end();
    const session = new BotSession({
      stay,
      call: this.call(stay.channelId),
      media: server.media,
      ssrc: this.#newSsrc(),
      modes: this.#modes,
      onEnd: (ended) => this.#ended(ended),
    });
    this.#sessions.add(session);
    return session;
  }

  #resumable(server: VoiceServer, { session_id: sessionId, server_id: guildId }: Resume): BotSession | null {
    const isThis = ({ stay, server: itsServer }: BotSession) =>
      stay.sessionId === sessionId && stay.guildId === guildId && itsServer === server.media;
    return [...this.#sessions].find(isThis) ?? null;
  }

  #ended(session: BotSession): void {
    this.#sessions.delete(session);
    this.#refusals.push(...session.offences);
    this.call(session.stay.channelId).leave(session.userId);
  }

  #newSsrc(): number {
    this.#lastSsrc += 1;
    return this.#lastSsrc;
  }
}
