import type { FakeBot } from '../../fakes/telegram/fake-bot.ts';
import type { FakeGroup } from '../../fakes/telegram/fake-group.ts';
import type { ChannelUnderTest } from './messenger-under-test.ts';

const BOB = { id: 4_711, first_name: 'Bob' };

/** A group with topics, in which somebody mentions the bot. */
export class TelegramForum implements ChannelUnderTest {
  readonly id: string;
  readonly name: string;
  readonly memberName = BOB.first_name;
  readonly #bot: FakeBot;
  readonly #group: FakeGroup;

  constructor(bot: FakeBot) {
    this.#bot = bot;
    this.#group = bot.group({ title: 'Gardeners', type: 'supergroup', is_forum: true });
    this.#group.readsAll = true;
    this.id = `${this.#group.id}`;
    this.name = this.#group.title;
  }

  opensThread(): string {
    return `${this.#group.opensTopic('Roses')}`;
  }

  writes(text: string, thread?: string): string {
    const topic = thread === undefined ? {} : { topic: Number(thread) };
    return `${this.#group.says(BOB, `@${this.#bot.username} ${text}`, topic).message_id}`;
  }

  received(): readonly { readonly text: string; readonly thread: string | null }[] {
    return this.#group.received.map(({ text, message_thread_id: topic }) => ({
      text: text ?? '',
      thread: topic === undefined ? null : `${topic}`,
    }));
  }
}
