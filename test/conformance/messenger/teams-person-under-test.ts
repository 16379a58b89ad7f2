import type { FakePerson, Written } from '../../fakes/teams/fake-person.ts';
import { shownText } from '../../fakes/teams/shown-text.ts';
import type { FakeChat, FakeMessage } from '../../fakes/teams/world/fake-chat.ts';
import { SEEN_ON } from '../../support/seen/platform-readers.ts';
import type { Seen } from '../../support/seen/seen.ts';
import type {
  ChannelUnderTest,
  PersonUnderTest,
  ReceivedMessage,
  TestFile,
  WrittenMessage,
} from './messenger-under-test.ts';

/** Whether the bot has said it on its own. */
export function isNote({ from, text }: FakeMessage): boolean {
  return (
    from === null && /^(?:You are connected|This conversation is connected|This code is not valid)/.test(text)
  );
}

/** A person of the tenant, in their chat with the bot. */
export class TeamsPerson implements PersonUnderTest {
  readonly fake: FakePerson;
  readonly #written = new Map<WrittenMessage, Written>();

  constructor(fake: FakePerson) {
    this.fake = fake;
  }

  get remoteId(): string {
    return this.fake.remoteId;
  }

  get name(): string {
    return this.fake.user.name;
  }

  writes(text: string): WrittenMessage {
    return this.#wrote(this.fake.says(text));
  }

  sendsFile(file: TestFile, caption: string): WrittenMessage {
    return this.#wrote(this.fake.sends(file, caption));
  }

  repeats(message: WrittenMessage): void {
    this.fake.repeats(this.#written.get(message)!);
  }

  edits(message: WrittenMessage, text: string): void {
    this.fake.edits(this.#written.get(message)!, text);
  }

  received(): readonly ReceivedMessage[] {
    return this.fake
      .received()
      .filter((message) => !isNote(message))
      .map(({ id, text }) => ({ platformMessageId: id, text: shownText(text), file: null }));
  }

  sees(id: string): Seen {
    return SEEN_ON.commonMark(this.fake.chat.find(id)!.text);
  }

  answers(id: string, text: string): WrittenMessage {
    return this.#wrote(this.fake.quotes(this.fake.chat.find(id)!, text));
  }

  /** The buttons are in the message after the text. */
  presses(id: string, label: string): void {
    const { messages } = this.fake.chat;
    this.fake.presses(messages[messages.findIndex((each) => each.id === id) + 1]!, label);
  }

  reacts(id: string, isAdded: boolean): void {
    this.fake.reacts(id, 'like', isAdded);
  }

  reactionsTo(id: string): readonly string[] {
    return [...this.fake.chat.find(id)!.reactions!];
  }

  typingShown(): number {
    return this.fake.chat.typing;
  }

  blocks(): void {
    this.fake.blocks();
  }

  unblocks(): void {
    this.fake.blocks(false);
  }

  #wrote(written: Written): WrittenMessage {
    const { message, delivery } = written;
    const result = { platformMessageId: message.id, isAcknowledged: () => delivery.isAcknowledged };
    this.#written.set(result, written);
    return result;
  }
}

/** A channel of a team with the bot. */
export class TeamsChannel implements ChannelUnderTest {
  readonly isAllThreads = true;
  readonly id: string;
  readonly name: string;
  readonly memberName: string;
  readonly #channel: FakeChat;
  readonly #member: FakePerson;

  constructor(channel: FakeChat, member: FakePerson) {
    this.id = channel.id;
    this.name = channel.name!;
    this.memberName = member.user.name;
    this.#channel = channel;
    this.#member = member;
  }

  writes(text: string, thread?: string): string {
    return this.#member.mentions(this.#channel, text, thread ?? null).message.id;
  }

  received(): readonly { readonly text: string; readonly thread: string | null }[] {
    return this.#channel.messages
      .filter(({ from }) => from === null)
      .map(({ text, root }) => ({ text: shownText(text), thread: root }));
  }
}
