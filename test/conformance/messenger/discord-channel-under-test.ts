import type { FakeBot } from '../../fakes/discord/fake-bot.ts';
import type { FakePerson } from '../../fakes/discord/fake-person.ts';
import type { FakeChannel } from '../../fakes/discord/world/channel.ts';
import type { FakeMessage } from '../../fakes/discord/world/message.ts';
import { isNote } from './discord-note.ts';
import type { ChannelUnderTest } from './messenger-under-test.ts';

/** A channel of a server, in which somebody mentions the bot. */
export class DiscordChannel implements ChannelUnderTest {
  readonly id: string;
  readonly name: string;
  readonly memberName: string;
  readonly #bot: FakeBot;
  readonly #member: FakePerson;
  readonly #channel: FakeChannel;
  readonly #threads = new Map<string, FakeChannel>();

  constructor(bot: FakeBot, member: FakePerson, channel: FakeChannel) {
    this.id = channel.id;
    this.name = channel.name!;
    this.memberName = member.user.globalName!;
    this.#bot = bot;
    this.#member = member;
    this.#channel = channel;
  }

  writes(text: string, thread?: string): string {
    return this.#member.mentions(this.#bot, this.#place(thread), text).id;
  }

  received(): readonly { readonly text: string; readonly thread: string | null }[] {
    const inThreads = [...this.#threads.values()].flatMap((thread) => this.#written(thread, thread.id));
    return [...this.#written(this.#channel, null), ...inThreads];
  }

  #written({ messages }: FakeChannel, thread: string | null) {
    const own = (message: FakeMessage) => message.author === this.#bot.user && !isNote(message);
    return messages.filter(own).map(({ content }) => ({ text: content, thread }));
  }

  #place(root: string | undefined): FakeChannel {
    if (root === undefined) return this.#channel;
    const known = this.#threads.get(root);
    if (known) return known;
    const thread = this.#member.startsThread(this.#channel, 'a thread', this.#channel.message(root)!);
    this.#threads.set(root, thread);
    return thread;
  }
}
