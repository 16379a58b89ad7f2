import { randomUUID } from 'node:crypto';
import { startMediaClock } from '../../support/media-clock.ts';
import type { Account } from './accounts.ts';
import { Participant } from './participant.ts';
import { type MediaKind, Session } from './session.ts';
import type { FileFacts } from './stored-files.ts';
import { notFound, VendorError } from './vendor-error.ts';

/** Voices of a meeting that are carried by themselves. */
const MAX_VOICES = 8;
const MAX_CHAT = 2_000;
const NOTHING_SAID = 'A message has a text or files';

export interface ChatMessage {
  readonly id: string;
  /** The session of the app that wrote it; null: a person. */
  readonly session: string | null;
  readonly sender: string;
  readonly text: string;
  readonly files: readonly FileFacts[];
  readonly sent_at: string;
}

/** A meeting: people who each say a tone, apps that joined, and what they wrote. */
export class Meeting {
  readonly id: string;
  /** Everything that apps wrote. */
  readonly written: ChatMessage[] = [];
  /** Names of the apps that were seen typing, in order. */
  readonly typing: string[] = [];
  /** Texts that are refused, in these words. */
  readonly refusals = new Map<string, string>();
  readonly sessions: Session[] = [];
  /** Whether somebody has to admit apps first. */
  hasLobby = false;
  readonly people: Participant[] = [];
  readonly #mediaUrl: (session: Session) => string;
  readonly #clock: { stop(): void };

  /** `mediaUrl`: makes the address of a session's media socket. */
  constructor(id: string, mediaUrl: (session: Session) => string) {
    this.id = id;
    this.#mediaUrl = mediaUrl;
    this.#clock = startMediaClock(() => this.#tick());
  }

  /** The newest session; throws when no app has ever joined. */
  get session(): Session {
    const session = this.sessions.at(-1);
    if (session === undefined) throw notFound('session');
    return session;
  }

  join(account: Account, name: string, kind: MediaKind): Session {
    const ssrcOf = (voice: number) => this.people.find((person) => person.voice === voice)?.ssrc ?? 0;
    const session = new Session(account, name, { kind, ssrcOf }, () => this.typing.push(name));
    this.sessions.push(session);
    if (this.hasLobby) session.tell({ type: 'waiting', reason: 'waiting for the host' });
    else this.#letIn(session);
    return session;
  }

  /** Lets in everybody who waits. */
  admit(): void {
    for (const session of this.sessions) if (session.state === 'waiting') this.#letIn(session);
  }

  /** Turns everybody away who waits. */
  deny(): void {
    for (const session of this.sessions) if (session.state === 'waiting') session.end('the host declined');
  }

  /** Somebody comes in and speaks. */
  enter(name: string, toneHz: number): Participant {
    const voice = [...Array(MAX_VOICES).keys()].find((i) => !this.people.some((each) => each.voice === i));
    if (voice === undefined) throw new VendorError(409, 'full', 'The meeting is full');
    const person = new Participant(name, toneHz, voice);
    this.people.push(person);
    this.#announce();
    this.speak(person, true);
    return person;
  }

  leave(person: Participant): void {
    this.people.splice(this.people.indexOf(person), 1);
    this.#announce();
  }

  speak(person: Participant, on: boolean): void {
    person.isSpeaking = on;
    for (const session of this.#live) session.tellMedia({ type: 'speaking', voice: person.voice, on });
  }

  /** Somebody in the meeting writes. */
  write(sender: string, text: string, files: readonly FileFacts[] = []): void {
    const message = chatMessage({ session: null, sender, text, files });
    for (const session of this.#live) session.tell({ type: 'chat', message });
  }

  /** An app writes. Throws VendorError when the vendor does not take it. */
  writtenBy(session: Session, text: string, files: readonly FileFacts[]): ChatMessage {
    if (session.state !== 'joined') throw notFound('session');
    if (text === '' && files.length === 0) throw new VendorError(400, 'empty', NOTHING_SAID);
    if (text.length > MAX_CHAT) throw new VendorError(400, 'too_long', 'The message is too long');
    const refusal = this.refusals.get(text);
    if (refusal !== undefined) throw new VendorError(403, 'refused', refusal);
    const message = chatMessage({ session: session.id, sender: session.name, text, files });
    this.written.push(message);
    // The vendor echoes every message to everybody, its author too.
    for (const each of this.#live) each.tell({ type: 'chat', message });
    return message;
  }

  attachMedia(session: Session, socket: Parameters<Session['attachMedia']>[0]): void {
    session.attachMedia(socket);
    session.tellMedia(this.#voices());
    for (const { voice, isSpeaking } of this.people)
      session.tellMedia({ type: 'speaking', voice, on: isSpeaking });
  }

  end(reason = 'the host ended the meeting'): void {
    for (const session of this.sessions) session.end(reason);
  }

  close(): void {
    this.#clock.stop();
    this.end();
  }

  get #live(): Session[] {
    return this.sessions.filter(({ state }) => state === 'joined');
  }

  #letIn(session: Session): void {
    session.state = 'joined';
    session.tell({ type: 'joined', media_url: this.#mediaUrl(session) });
    session.tell(this.#participants());
  }

  #announce(): void {
    for (const session of this.#live) {
      session.tellMedia(this.#voices());
      session.tell(this.#participants());
    }
  }

  #participants() {
    return {
      type: 'participants',
      participants: this.people.map(({ id, name }) => ({ id, name })),
    } as const;
  }

  #voices() {
    const voices = this.people.map(({ voice, ssrc, id }) => ({ voice, ssrc, participant: id }));
    return { type: 'voices', voices } as const;
  }

  #tick(): void {
    const live = this.#live.filter(({ hasMedia }) => hasMedia);
    for (const person of this.people) {
      if (!person.isSpeaking) continue;
      const frame = person.nextFrame();
      for (const session of live) session.hear(person, frame);
    }
  }
}

function chatMessage(said: Omit<ChatMessage, 'id' | 'sent_at'>): ChatMessage {
  return { id: randomUUID(), ...said, sent_at: new Date().toISOString() };
}
