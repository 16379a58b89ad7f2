import { PermissionFlagsBits } from 'discord-api-types/v10';
import { LimitedMap } from '../../../base/limited-map.ts';
import type { Clock } from '../../../base/time.ts';
import type { LoginRef } from '../../contract/login.ts';
import type { MessageIntake, MessengerObserver } from '../../contract/messenger.ts';
import type { CodeTries } from '../../kit/code-tries.ts';
import { DiscordFailure } from '../rest/discord-failure.ts';
import type { Message } from '../rest/discord-objects.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import { personName } from '../rest/person-name.ts';
import { addressOf, type KnownChannels } from './known-channels.ts';
import { filesOf, plainText, textOf } from './message-content.ts';
import type { MessagePlace, MessagePlaces } from './message-places.ts';
import { NOTE } from './notes-to-people.ts';

/** Types of messages that people write: default and reply. */
const WRITTEN: ReadonlySet<number> = new Set([0, 19]);
/** An invite token: 24 bytes in base64url, which may be surrounded by other text. */
const CODE = /(?<![\w-])[\w-]{32}(?![\w-])/;
const NOTE_DEADLINE_MS = 20_000;
/** Number of strangers cached as already notified; each is notified only once. */
const MAX_REMEMBERED = 20_000;

export type DiscordObserver = MessengerObserver<
  'event_read' | 'event_failed' | 'event_skipped' | 'connection_lost' | 'note_failed' | 'throttled'
>;

export interface ReceiverDeps {
  readonly ref: LoginRef;
  readonly rest: DiscordRest;
  readonly channels: KnownChannels;
  readonly places: MessagePlaces;
  readonly intake: MessageIntake;
  readonly clock: Clock;
  readonly tries: CodeTries;
  readonly observer: DiscordObserver;
  /** Whether the bot hears other bots. */
  readonly hearsBots: boolean;
}

/** The bot that receives, as Discord knows it. */
export interface Receiving {
  readonly userId: string;
  /** Whether Discord shows it messages that do not mention it. */
  readonly readsContent: boolean;
}

/** Passes messages on to the domain. The bot's own replies to people are best effort and block nothing. */
export class MessageReceiver {
  readonly #deps: ReceiverDeps;
  readonly #notified = new LimitedMap<true>(MAX_REMEMBERED);

  constructor(deps: ReceiverDeps) {
    this.#deps = deps;
  }

  /** Resolves once the message is on disk. Rejects when it could not be stored. */
  async take(message: Message, bot: Receiving, signal: AbortSignal): Promise<void> {
    if (!this.#isHeard(message, bot)) return;
    const place = await this.#deps.places.placeOf(message, bot.userId, signal);
    if (place === null) return;
    if (await this.#isCommand(message, place, bot, signal)) return;
    const code = await this.#tryCode(message, place, bot, signal);
    if (code === 'used') return;
    await this.#receive(message, place, bot, code === 'wrong');
  }

  #isHeard({ author, webhook_id: webhookId, type }: Message, { userId }: Receiving): boolean {
    if (author.id === userId || webhookId !== undefined || !WRITTEN.has(type)) return false;
    return this.#deps.hearsBots || author.bot !== true;
  }

  async #receive(message: Message, place: MessagePlace, bot: Receiving, hadCode: boolean): Promise<void> {
    const { ref, intake, clock } = this.#deps;
    const text = textOf(message, bot.userId);
    const files = filesOf(message);
    if (text === '' && files.length === 0) return;
    const { author, member, id, timestamp } = message;
    const isDirect = place.personId !== null;
    const taken = await intake.received({
      from: { ...addressOf(ref, place), person: author.id },
      alias: null,
      remoteName: place.name,
      senderName: isDirect ? null : member?.nick || personName(author),
      platformMessageId: id,
      text,
      sentAt: Number.isNaN(Date.parse(timestamp)) ? clock.nowIso() : new Date(timestamp).toISOString(),
      files,
    });
    if (taken === 'unbound') return this.#notifyStranger(message, isDirect, hadCode);
    await this.#handled(message, place);
  }

  /** `@bot listen` and `@bot stop listening`, in a server, by somebody who may manage it. */
  async #isCommand(
    message: Message,
    { name: _name, isAddressed, ...place }: MessagePlace,
    bot: Receiving,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (place.guildId === null || !isAddressed) return false;
    const text = plainText(message, bot.userId).toLowerCase();
    const isListening = text === 'listen';
    if (!isListening && text !== 'stop listening') return false;
    if (!(await this.#mayManage(message, place.guildId, signal))) this.#say(message, NOTE.notAllowed);
    else if (isListening && !bot.readsContent) this.#say(message, NOTE.noContent);
    else {
      await this.#deps.channels.put({ ...place, isListening, lastMessageId: message.id });
      this.#say(message, isListening ? NOTE.listening : NOTE.notListening);
    }
    return true;
  }

  /** Connects a person, or a channel, that shows the shared bot a one-time code. */
  async #tryCode(
    message: Message,
    place: MessagePlace,
    bot: Receiving,
    signal: AbortSignal,
  ): Promise<'used' | 'wrong' | 'none'> {
    const { ref, intake, tries } = this.#deps;
    const [code] = CODE.exec(plainText(message, bot.userId)) ?? [];
    if (ref.kind !== 'shared' || !place.isAddressed || code === undefined) return 'none';
    const { author } = message;
    if (!tries.allows(author.id)) return 'none';
    if (place.guildId !== null && !(await this.#mayManage(message, place.guildId, signal))) {
      this.#say(message, NOTE.notAllowed);
      return 'used';
    }
    const from = { ...addressOf(ref, place), person: author.id };
    if (await intake.bind(from, place.name, code)) {
      await this.#handled(message, place);
      this.#say(message, place.guildId === null ? NOTE.connected : NOTE.channelConnected);
      return 'used';
    }
    tries.failed(author.id);
    return 'wrong';
  }

  async #mayManage({ author, member }: Message, guildId: string, signal: AbortSignal): Promise<boolean> {
    const who = { guildId, userId: author.id, roleIds: member?.roles ?? [] };
    try {
      return await mayManage(this.#deps.rest, who, signal);
    } catch (error) {
      // What cannot be found out is not allowed.
      if (error instanceof DiscordFailure && (error.kind === 'refused' || error.kind === 'unclear'))
        return false;
      throw error;
    }
  }

  async #handled({ id }: Message, place: MessagePlace): Promise<void> {
    const { name: _name, isAddressed: _isAddressed, ...channel } = place;
    await this.#deps.channels.handled(id, channel);
  }

  #notifyStranger(message: Message, isDirect: boolean, hadCode: boolean): void {
    if (hadCode) return this.#say(message, NOTE.codeOver);
    const { channel_id: channelId } = message;
    if (this.#notified.get(channelId)) return;
    this.#notified.set(channelId, true);
    this.#say(message, isDirect ? NOTE.whoAreYou : NOTE.unknownChannel);
  }

  /** Answers a message. Its id makes the nonce, so an event that is repeated is answered once. */
  #say({ id, channel_id: channelId }: Message, text: string): void {
    const { rest, observer } = this.#deps;
    const note = { messageId: `note-${id}`, text, attachments: [] };
    rest.sendMessage(channelId, note, AbortSignal.timeout(NOTE_DEADLINE_MS)).then(
      ({ kind }) => {
        if (kind !== 'sent') observer.count('note_failed');
      },
      () => observer.count('note_failed'),
    );
  }
}

const MAY_MANAGE = PermissionFlagsBits.Administrator | PermissionFlagsBits.ManageGuild;

interface GuildAuthor {
  readonly guildId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
}

/**
 * Whether a member may manage the server, and so decide what a bot reads there: its owner, or somebody with a role that
 * has the permission (https://docs.discord.com/developers/topics/permissions). Rejects with a DiscordFailure.
 */
async function mayManage(
  rest: Pick<DiscordRest, 'guild'>,
  { guildId, userId, roleIds }: GuildAuthor,
  signal: AbortSignal,
): Promise<boolean> {
  const { owner_id: ownerId, roles } = await rest.guild(guildId, signal);
  if (userId === ownerId) return true;
  // The role of everyone has the server's id.
  const held = roles.filter(({ id }) => id === guildId || roleIds.includes(id));
  return held.some(({ permissions }) => (BigInt(permissions) & MAY_MANAGE) !== 0n);
}
