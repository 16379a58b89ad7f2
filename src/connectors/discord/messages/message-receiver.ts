import { PermissionFlagsBits } from 'discord-api-types/v10';
import type { LoginRef } from '../../../base/address.ts';
import type { Clock } from '../../../base/time.ts';
import type { MessageIntake, MessengerObserver } from '../../contract/messenger.ts';
import { ignored } from '../../kit/ignored.ts';
import { type Newcomer, type NewcomerNotes, Newcomers } from '../../kit/newcomers.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { DiscordRest } from '../client.ts';
import { type Message, personName } from '../objects.ts';
import { addressOf, type KnownChannels } from './known-channels.ts';
import { answeredIn, filesOf, plainText, textOf } from './message-content.ts';
import type { MessagePlace, MessagePlaces } from './message-places.ts';

/** Types of messages that people write: default and reply. */
const WRITTEN: ReadonlySet<number> = new Set([0, 19]);
const NOTE_DEADLINE_MS = 20_000;

const NOTES: NewcomerNotes = {
  channelConnected: 'This channel is connected. The agent receives messages that mention me.',
  whoAreYou:
    'This bot does not know which agent to connect you to. Please ask for a one-time code and send it here.',
  unknownChannel:
    'This channel is not connected to an agent. Somebody who may manage the server can connect it: mention me with a one-time code.',
  notAllowed: 'Only somebody who may manage the server can decide that.',
};
const LISTENING = 'I now read everything in this channel. To end that, mention me with “stop listening”.';
const NOT_LISTENING = 'I now read only messages that mention me.';
const NO_CONTENT =
  'I cannot read messages that do not mention me: the Message Content intent is off for this bot in the developer portal.';

export type DiscordObserver = MessengerObserver<
  | 'event_read'
  | 'event_failed'
  | 'event_ignored'
  | 'event_skipped'
  | 'connection_lost'
  | 'note_failed'
  | 'throttled'
>;

export interface ReceiverDeps {
  readonly ref: LoginRef;
  readonly rest: DiscordRest;
  readonly channels: KnownChannels;
  readonly places: MessagePlaces;
  readonly intake: MessageIntake;
  readonly clock: Clock;
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
  readonly #newcomers: Newcomers;

  constructor(deps: ReceiverDeps) {
    this.#deps = deps;
    this.#newcomers = new Newcomers(deps.clock, NOTES);
  }

  /** Resolves once the message is on disk. Rejects when it could not be stored. */
  async take(written: Message, bot: Receiving, signal: AbortSignal): Promise<void> {
    if (written.author.id === bot.userId) return;
    if (!this.#isHeard(written)) return this.#ignored(written);
    const place = await this.#deps.places.placeOf(written, bot.userId, signal);
    if (place === null) return this.#ignored(written);
    const message = withoutRole(written, place.ownRoleId);
    if (await this.#isCommand(message, place, bot, signal)) return;
    const code = await this.#tryCode(message, place, bot, signal);
    if (code === 'used') return;
    await this.#receive(message, place, bot, code === 'wrong');
  }

  #isHeard({ author, webhook_id: webhookId, type }: Message): boolean {
    if (webhookId !== undefined || !WRITTEN.has(type)) return false;
    return this.#deps.hearsBots || author.bot !== true;
  }

  #ignored({ type }: Message): void {
    ignored(this.#deps.observer, 'event_ignored', `message of type ${type}`);
  }

  async #receive(message: Message, place: MessagePlace, bot: Receiving, hadCode: boolean): Promise<void> {
    const { ref, intake, clock } = this.#deps;
    const text = textOf(message, bot.userId);
    const files = filesOf(message);
    if (text === '' && files.length === 0) return this.#ignored(message);
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
      isFromBot: author.bot === true,
      replyTo: answeredIn(message),
    });
    if (taken === 'unbound')
      return this.#newcomers.notify(this.#newcomer(message, place), message.channel_id, hadCode);
    await this.#handled(message, place);
  }

  /** `@bot listen` and `@bot stop listening`, in a server, by somebody who may manage it. */
  async #isCommand(
    message: Message,
    { name: _name, ownRoleId: _role, isAddressed, ...place }: MessagePlace,
    bot: Receiving,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (place.guildId === null || !isAddressed) return false;
    const text = plainText(message, bot.userId).toLowerCase();
    const isListening = text === 'listen';
    if (!isListening && text !== 'stop listening') return false;
    if (!(await this.#mayManage(message, place.guildId, signal))) this.#say(message, NOTES.notAllowed);
    else if (isListening && !bot.readsContent) this.#say(message, NO_CONTENT);
    else {
      await this.#deps.channels.put({ ...place, isListening, lastMessageId: message.id });
      this.#say(message, isListening ? LISTENING : NOT_LISTENING);
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
    const { ref, intake } = this.#deps;
    if (ref.kind !== 'shared' || !place.isAddressed) return 'none';
    return await this.#newcomers.tryCode(intake, {
      ...this.#newcomer(message, place),
      name: place.name,
      text: plainText(message, bot.userId),
      mayDecide: async () =>
        place.guildId !== null && (await this.#mayManage(message, place.guildId, signal)),
      connected: async () => await this.#handled(message, place),
    });
  }

  async #mayManage({ author, member }: Message, guildId: string, signal: AbortSignal): Promise<boolean> {
    const who = { guildId, userId: author.id, roleIds: member?.roles ?? [] };
    try {
      return await mayManage(this.#deps.rest, who, signal);
    } catch (error) {
      // What cannot be found out is not allowed.
      if (error instanceof PlatformFailure && (error.kind === 'refused' || error.kind === 'unclear'))
        return false;
      throw error;
    }
  }

  async #handled({ id }: Message, place: MessagePlace): Promise<void> {
    const { name: _name, isAddressed: _isAddressed, ownRoleId: _role, ...channel } = place;
    await this.#deps.channels.handled(id, channel);
  }

  #newcomer(message: Message, place: MessagePlace): Pick<Newcomer, 'from' | 'say'> {
    const from = { ...addressOf(this.#deps.ref, place), person: message.author.id };
    return { from, say: (note) => this.#say(message, note) };
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

/** The mention of the bot's own role says no more than that the bot is meant. */
function withoutRole(message: Message, roleId: string | null): Message {
  return roleId === null ? message : { ...message, content: message.content.replaceAll(`<@&${roleId}>`, '') };
}

const MAY_MANAGE = PermissionFlagsBits.Administrator | PermissionFlagsBits.ManageGuild;

interface GuildAuthor {
  readonly guildId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
}

/**
 * Whether a member may manage the server, and so decide what a bot reads there: its owner, or somebody with a role that
 * has the permission (https://docs.discord.com/developers/topics/permissions). Rejects with a PlatformFailure.
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
