import type { FakeBot } from '../../fakes/discord/fake-bot.ts';
import type { FakeDiscord } from '../../fakes/discord/fake-discord.ts';
import type { FakePerson } from '../../fakes/discord/fake-person.ts';
import type { FakeMessage } from '../../fakes/discord/world/message.ts';
import { shownTo } from '../../fakes/discord/world/posting.ts';
import type { Gateway } from '../../support/gateway.ts';
import { readGatewayRows } from '../../support/gateway-database.ts';
import { SEEN_ON } from '../../support/seen/platform-readers.ts';
import type { Seen } from '../../support/seen/seen.ts';
import { isNote } from './discord-note.ts';
import type { PersonUnderTest, ReceivedMessage, TestFile, WrittenMessage } from './messenger-under-test.ts';

interface BotUnderTest {
  readonly gateway: Gateway;
  readonly discord: FakeDiscord;
  readonly bot: FakeBot;
}

/** A person and their direct messages with the bot. */
export class DiscordPerson implements PersonUnderTest {
  readonly remoteId: string;
  readonly name: string;
  readonly #subject: BotUnderTest;
  readonly #person: FakePerson;
  readonly #written = new Map<WrittenMessage, FakeMessage>();

  constructor(subject: BotUnderTest, person: FakePerson) {
    this.#subject = subject;
    this.#person = person;
    this.remoteId = person.id;
    this.name = person.user.globalName!;
  }

  writes(text: string): WrittenMessage {
    return this.#wrote(this.#person.writes(this.#subject.bot, text));
  }

  sendsFile(file: TestFile, caption: string): WrittenMessage {
    return this.#wrote(this.#person.sendsFiles(this.#subject.bot, [file], caption));
  }

  repeats(message: WrittenMessage): void {
    const { discord, bot } = this.#subject;
    const shown = shownTo(discord.world, this.#written.get(message)!, { bot, intents: bot.grantedIntents });
    for (const session of discord.gateway.sessionsOf(bot))
      session.dispatch({ t: 'MESSAGE_CREATE', d: shown } as never);
  }

  edits(message: WrittenMessage, text: string): void {
    this.#person.edits(this.#written.get(message)!, text);
  }

  /** Each file of a message counts as one. */
  received(): readonly ReceivedMessage[] {
    const messages = this.#person.received(this.#subject.bot).filter((message) => !isNote(message));
    return messages.flatMap<ReceivedMessage>(({ id: platformMessageId, content, attachments, reference }) =>
      attachments.length === 0
        ? [{ platformMessageId, text: content, file: null, quotes: reference?.messageId ?? null }]
        : attachments.map(({ bytes }, n) => ({
            platformMessageId,
            text: n === 0 ? content : '',
            file: bytes,
          })),
    );
  }

  sees(id: string): Seen {
    return SEEN_ON.discord(this.#message(id).content);
  }

  answers(platformMessageId: string, text: string): WrittenMessage {
    return this.#wrote(this.#person.replies(this.#message(platformMessageId), text));
  }

  presses(platformMessageId: string, label: string): void {
    this.#person.presses(this.#message(platformMessageId), label);
  }

  reacts(platformMessageId: string, isAdded: boolean): void {
    this.#person.reacts(this.#message(platformMessageId), '👍', isAdded);
  }

  reactionsTo(platformMessageId: string): readonly string[] {
    return [...this.#message(platformMessageId).reactions];
  }

  typingShown(): number {
    return this.#person.typingShown(this.#subject.bot);
  }

  blocks(): void {
    this.#person.blocks(this.#subject.bot);
  }

  unblocks(): void {
    this.#person.unblocks(this.#subject.bot);
  }

  #message(id: string): FakeMessage {
    return this.#person.dm(this.#subject.bot).message(id)!;
  }

  #wrote(message: FakeMessage): WrittenMessage {
    const { discord, bot, gateway } = this.#subject;
    const session = discord.gateway.sessionsOf(bot)[0];
    const seq = session?.seq ?? 0;
    const written = {
      platformMessageId: message.id,
      isAcknowledged: () =>
        readGatewayRows<{ value: string }>(
          gateway.dataFolder,
          "select value from platform_records where kind = 'session'",
        ).some(({ value }) => {
          const { sessionId, sequence } = JSON.parse(value);
          return sessionId === session?.id && sequence >= seq;
        }),
    };
    this.#written.set(written, message);
    return written;
  }
}
