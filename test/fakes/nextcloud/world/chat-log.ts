import type { FakeFile } from '../dav/file-tree.ts';
import { type Actor, type FakeMessage, isSameActor, type SystemMessage } from './fake-message.ts';

export interface Writing {
  readonly text: string;
  readonly replyTo?: FakeMessage | null;
  readonly referenceId?: string;
  readonly thread?: number | null;
  readonly isSilent?: boolean;
  readonly file?: { readonly file: FakeFile; readonly name: string };
}

/** What a conversation hears of its messages. */
export interface Hears {
  wrote(message: FakeMessage): void;
  unreacted(reaction: FakeMessage): void;
}

/** Talk counts characters, not bytes. */
export const MOST_CHARACTERS = 32_000;

let lastId = 1_000;

/** The messages of a conversation. */
export class ChatLog {
  readonly messages: FakeMessage[] = [];
  /** For how many seconds messages are kept; 0: forever. */
  expiration = 0;
  /** Unix time of the last message that counts as activity. Edits, deletions and reactions do not. */
  lastActivity: number;
  readonly #now: () => number;
  readonly #hears: Hears;

  constructor(now: () => number, hears: Hears) {
    this.#now = now;
    this.#hears = hears;
    this.lastActivity = now();
  }

  byId(id: number): FakeMessage | undefined {
    return this.messages.find((message) => message.id === id);
  }

  write(
    actor: Actor,
    { text, replyTo = null, referenceId = '', thread = null, isSilent = false, file }: Writing,
  ): FakeMessage {
    return this.#add({
      actor,
      verb: file ? 'object_shared' : 'comment',
      text: text.trim(),
      parent: replyTo,
      thread: thread ?? replyTo?.thread ?? null,
      referenceId: referenceId.slice(0, 64),
      isSilent,
      file: file?.file ?? null,
      fileName: file?.name ?? '',
    });
  }

  /** Adds a message that the chat API tells in these words. */
  addWire(actor: Actor, wire: Readonly<Record<string, unknown>>): FakeMessage {
    return this.#add({ actor, verb: 'comment', text: `${wire.message}`, wire });
  }

  /** Writes a message of Talk's own. */
  tell(system: SystemMessage, actor: Actor, about: Actor | null = null): FakeMessage {
    return this.#add({ actor, verb: 'system', system, about });
  }

  /** Returns the message that tells of it. */
  edit(message: FakeMessage, actor: Actor, text: string): FakeMessage {
    message.text = text.trim();
    message.lastEdit = { actor, timestamp: this.#now() };
    return this.#add({ actor, verb: 'system', system: 'message_edited', parent: message }, false);
  }

  /** Returns the message that tells of it. */
  delete(message: FakeMessage, actor: Actor): FakeMessage {
    message.verb = 'comment_deleted';
    message.text = '';
    return this.#add({ actor, verb: 'system', system: 'message_deleted', parent: message }, false);
  }

  /** Returns whether the reaction is new. */
  react(message: FakeMessage, actor: Actor, emoji: string): boolean {
    if (this.reactionsTo(message).some((each) => isSameActor(each.actor, actor) && each.text === emoji))
      return false;
    this.#add({ actor, verb: 'reaction', text: emoji, parent: message }, false);
    return true;
  }

  /** Returns whether there was such a reaction. */
  unreact(message: FakeMessage, actor: Actor, emoji: string): boolean {
    const reaction = this.reactionsTo(message).find(
      (each) => isSameActor(each.actor, actor) && each.text === emoji,
    );
    if (!reaction) return false;
    this.#hears.unreacted({ ...reaction });
    reaction.verb = 'reaction_deleted';
    this.#add({ actor, verb: 'system', system: 'reaction_revoked', parent: message, isSilent: true }, false);
    return true;
  }

  reactionsTo(message: FakeMessage): FakeMessage[] {
    return this.messages.filter(({ verb, parent }) => verb === 'reaction' && parent === message);
  }

  #add(fields: Partial<FakeMessage> & Pick<FakeMessage, 'actor' | 'verb'>, isActivity = true): FakeMessage {
    lastId += 1;
    const timestamp = this.#now();
    const message: FakeMessage = {
      text: '',
      system: null,
      about: null,
      parent: null,
      thread: null,
      referenceId: '',
      isSilent: false,
      file: null,
      fileName: '',
      wire: null,
      lastEdit: null,
      ...fields,
      id: lastId,
      timestamp,
      expiresAt: this.expiration > 0 ? timestamp + this.expiration : 0,
    };
    this.messages.push(message);
    if (isActivity) this.lastActivity = timestamp;
    this.#hears.wrote(message);
    return message;
  }
}
