import type { Delivery } from '../../fakes/slack/events/event-delivery.ts';
import type { FakePerson, Written } from '../../fakes/slack/fake-person.ts';
import type { Installation } from '../../fakes/slack/world/fake-app.ts';
import type { FakeChannel } from '../../fakes/slack/world/fake-channel.ts';
import { shownText } from '../../fakes/slack/world/fake-message.ts';
import { SEEN_ON } from '../../support/seen/platform-readers.ts';
import type { Seen } from '../../support/seen/seen.ts';
import type {
  ChannelUnderTest,
  PersonUnderTest,
  ReceivedMessage,
  TestFile,
  WrittenMessage,
} from './messenger-under-test.ts';

/** A person of the workspace, in direct messages with the bot. */
export class SlackPerson implements PersonUnderTest {
  readonly remoteId: string;
  readonly name: string;
  readonly #person: FakePerson;
  readonly #installation: Installation;
  readonly #written = new Map<WrittenMessage, Written>();

  constructor(person: FakePerson, installation: Installation) {
    this.#person = person;
    this.#installation = installation;
    this.remoteId = person.user.id;
    this.name = person.user.realName;
  }

  writes(text: string): WrittenMessage {
    return this.#wrote(this.#person.says(this.#channel, text));
  }

  sendsFile(file: TestFile, caption: string): WrittenMessage {
    return this.#wrote(this.#person.sends(this.#channel, file, caption));
  }

  repeats(message: WrittenMessage): void {
    this.#person.repeats(this.#written.get(message)!);
  }

  edits(message: WrittenMessage, text: string): void {
    this.#person.edits(this.#written.get(message)!, text);
  }

  /** A message with several files counts as several. */
  received(): readonly ReceivedMessage[] {
    return this.#person.received(this.#installation).flatMap<ReceivedMessage>(({ ts, text, files }) => {
      const shown = { platformMessageId: ts, text: shownText(text) };
      if (files.length === 0) return [{ ...shown, file: null }];
      return files.map(({ bytes }, n) => ({ ...shown, text: n === 0 ? shown.text : '', file: bytes }));
    });
  }

  sees(ts: string): Seen {
    return SEEN_ON.slack(this.#channel.message(ts)!.text);
  }

  presses(ts: string, label: string): void {
    void this.#person.presses(this.#installation, this.#channel, this.#channel.message(ts)!, label);
  }

  reacts(ts: string, isAdded: boolean): void {
    this.#person.reacts(this.#channel, ts, '+1', isAdded);
  }

  reactionsTo(ts: string): readonly string[] {
    return [...this.#channel.message(ts)!.reactions];
  }

  blocks(): void {
    this.#person.user.isDeleted = true;
  }

  unblocks(): void {
    this.#person.user.isDeleted = false;
  }

  get #channel(): FakeChannel {
    return this.#person.directMessages(this.#installation);
  }

  #wrote(written: Written): WrittenMessage {
    const { deliveries, message } = written;
    const result = {
      platformMessageId: message.ts,
      isAcknowledged: () => deliveries.every((each: Delivery) => each.isAcknowledged),
    };
    this.#written.set(result, written);
    return result;
  }
}

/** A channel that the bot was invited to. */
export class SlackChannel implements ChannelUnderTest {
  readonly id: string;
  readonly name: string;
  readonly memberName: string;
  readonly #member: FakePerson;
  readonly #channel: FakeChannel;
  readonly #installation: Installation;

  constructor(channel: FakeChannel, member: FakePerson, installation: Installation) {
    this.id = channel.id;
    this.name = channel.name;
    this.memberName = member.user.realName;
    this.#channel = channel;
    this.#member = member;
    this.#installation = installation;
  }

  writes(text: string, thread?: string): string {
    return this.#member.says(this.#channel, text, thread ?? null).message.ts;
  }

  received(): readonly { readonly text: string; readonly thread: string | null }[] {
    return this.#channel.messages
      .filter(({ user }) => user === this.#installation.bot)
      .map(({ text, threadTs }) => ({ text: shownText(text), thread: threadTs }));
  }
}
