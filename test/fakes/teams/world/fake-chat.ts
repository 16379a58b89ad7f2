import { FakeStreams } from './fake-streams.ts';
import type { FakeUser } from './fake-user.ts';
import { newMessageId } from './teams-ids.ts';

/** An attachment as it is on the wire. */
export interface WireAttachment {
  readonly contentType: string;
  readonly contentUrl?: string | undefined;
  readonly name?: string | undefined;
  readonly content?: unknown;
}

/** A message; `from` null: the bot. */
export interface FakeMessage {
  readonly id: string;
  readonly from: FakeUser | null;
  /** As the bot has written it, or as a person typed it. */
  text: string;
  readonly attachments: readonly WireAttachment[];
  /** Of a channel: the id of the message that began the thread. */
  readonly root: string | null;
  /** The message that it quotes. */
  readonly quotes?: FakeMessage;
  /** The button that somebody has pressed. */
  readonly press?: { readonly value: unknown; readonly replyToId: string };
  /** Types of the bot's reactions. */
  readonly reactions?: Set<string>;
}

export type ChatKind = 'personal' | 'groupChat' | 'channel';

/** A conversation of the bot: with one person, in a group chat or in a channel. */
export class FakeChat {
  readonly id: string;
  readonly kind: ChatKind;
  readonly name: string | null;
  readonly tenantId: string;
  readonly members = new Set<FakeUser>();
  readonly messages: FakeMessage[] = [];
  /** Of a channel. */
  readonly teamId: string | null;
  /** Times at which the bot showed that it types. */
  typing = 0;
  readonly streams = new FakeStreams(this);
  /** Whether the bot may write here. */
  hasBot = true;
  isBlocked = false;

  constructor(
    id: string,
    kind: ChatKind,
    more: { readonly name?: string | null; readonly tenantId: string; readonly teamId?: string },
  ) {
    this.id = id;
    this.kind = kind;
    this.name = more.name ?? null;
    this.tenantId = more.tenantId;
    this.teamId = more.teamId ?? null;
  }

  /** A message that nobody sees yet. */
  drafted(): FakeMessage {
    const id = newMessageId();
    return { id, from: null, text: '', attachments: [], root: null, reactions: new Set() };
  }

  show(message: Pick<FakeMessage, 'id'>): void {
    if (this.find(message.id) === undefined) this.messages.push(message as FakeMessage);
  }

  post(message: Pick<FakeMessage, 'from' | 'text'> & Partial<FakeMessage>): FakeMessage {
    const id = newMessageId();
    const root = this.kind === 'channel' ? (message.root ?? id) : null;
    const posted = { attachments: [], reactions: new Set<string>(), ...message, id, root };
    this.messages.push(posted);
    return posted;
  }

  find(id: string): FakeMessage | undefined {
    return this.messages.find((each) => each.id === id);
  }

  remove(id: string): void {
    const at = this.messages.findIndex((each) => each.id === id);
    if (at >= 0) this.messages.splice(at, 1);
  }
}
