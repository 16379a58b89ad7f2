import * as z from 'zod';
import type { LoginRef } from '../../../base/address.ts';
import type { Clock } from '../../../base/time.ts';
import type { MessageIntake } from '../../contract/messenger.ts';
import { ignored } from '../../kit/ignored.ts';
import type { DiscordRest } from '../client.ts';
import {
  ChannelRef,
  DeletedMessage,
  DeletedMessages,
  type Dispatch,
  GuildRef,
  Press,
  Reaction,
} from '../gateway/gateway-payload.ts';
import { Message, personName } from '../objects.ts';
import { choiceIn } from './buttons.ts';
import type { History } from './history.ts';
import { addressOf, type KnownChannels } from './known-channels.ts';
import { textOf } from './message-content.ts';
import type { MessagePlaces } from './message-places.ts';
import type { DiscordObserver, MessageReceiver, Receiving } from './message-receiver.ts';

/** Edits come with the whole message, apart from those that only add a preview. */
const EditedMessage = Message.extend({ edited_timestamp: z.string() });

export interface EventReaderDeps {
  readonly ref: LoginRef;
  readonly channels: KnownChannels;
  readonly places: MessagePlaces;
  readonly history: History;
  readonly receiver: MessageReceiver;
  readonly intake: MessageIntake;
  readonly rest: Pick<DiscordRest, 'acknowledge'>;
  readonly clock: Pick<Clock, 'nowIso'>;
  readonly observer: DiscordObserver;
  /** Whether a call has the chat of this channel. */
  isInCall(guildId: string, channelId: string): boolean;
}

/** Reads the events of the gateway that concern messages. Events that cannot be read are skipped. */
export class EventReader {
  readonly #deps: EventReaderDeps;

  constructor(deps: EventReaderDeps) {
    this.#deps = deps;
  }

  /** Resolves once what the event means is on disk. Rejects when it could not be stored. */
  async take({ type, data }: Dispatch, bot: Receiving, signal: AbortSignal): Promise<void> {
    const { places } = this.#deps;
    switch (type) {
      case 'MESSAGE_CREATE':
        return await this.#created(Message.safeParse(data).data, bot, signal);
      case 'MESSAGE_UPDATE':
        return await this.#edited(EditedMessage.safeParse(data).data, bot);
      case 'MESSAGE_DELETE':
        return await this.#deleted(DeletedMessage.safeParse(data).data);
      case 'MESSAGE_DELETE_BULK': {
        const { ids = [], channel_id: channelId = '' } = DeletedMessages.safeParse(data).data ?? {};
        for (const id of ids) await this.#deleted({ id, channel_id: channelId });
        return;
      }
      case 'MESSAGE_REACTION_ADD':
        return await this.#reacted(Reaction.safeParse(data).data, bot, true);
      case 'MESSAGE_REACTION_REMOVE':
        return await this.#reacted(Reaction.safeParse(data).data, bot, false);
      case 'INTERACTION_CREATE':
        return await this.#pressed(Press.safeParse(data).data, signal);
      case 'CHANNEL_UPDATE':
      case 'THREAD_UPDATE':
      case 'THREAD_DELETE':
        return places.changed(ChannelRef.safeParse(data).data?.id ?? '');
      case 'CHANNEL_DELETE':
        return await this.#channelGone(ChannelRef.safeParse(data).data?.id);
      case 'GUILD_DELETE':
        return await this.#guildGone(GuildRef.safeParse(data).data);
      default:
    }
  }

  async #created(message: Message | undefined, bot: Receiving, signal: AbortSignal): Promise<void> {
    if (message === undefined) return this.#ignored('MESSAGE_CREATE');
    const { guild_id: guildId, channel_id: channelId } = message;
    if (guildId !== undefined && this.#deps.isInCall(guildId, channelId)) return;
    await this.#deps.history.read(channelId, signal);
    await this.#deps.receiver.take(message, bot, signal);
  }

  async #edited(message: Message | undefined, bot: Receiving): Promise<void> {
    const known = message && this.#deps.channels.find(message.channel_id);
    if (message?.author.id === bot.userId) return;
    if (!known) return this.#ignored('MESSAGE_UPDATE');
    await this.#deps.intake.edited(addressOf(this.#deps.ref, known), message.id, textOf(message, bot.userId));
  }

  async #deleted(message: z.output<typeof DeletedMessage> | undefined): Promise<void> {
    const known = message && this.#deps.channels.find(message.channel_id);
    if (!known) return this.#ignored('MESSAGE_DELETE');
    await this.#deps.intake.edited(addressOf(this.#deps.ref, known), message.id, null);
  }

  /** Reactions of the bot itself are no news. */
  async #reacted(
    reaction: z.output<typeof Reaction> | undefined,
    bot: Receiving,
    isAdded: boolean,
  ): Promise<void> {
    const known = reaction && this.#deps.channels.find(reaction.channel_id);
    if (reaction?.user_id === bot.userId) return;
    if (!known) return this.#ignored('MESSAGE_REACTION');
    const { user_id: userId, message_id: platformMessageId, emoji, member } = reaction;
    const name = emoji.name ?? null;
    const own = emoji.id && name !== null ? `${name}:${emoji.id}` : name;
    const from = { ...addressOf(this.#deps.ref, known), person: userId };
    const senderName = member?.nick || (member?.user ? personName(member.user) : null);
    await this.#deps.intake.reacted(from, { platformMessageId, emoji: own, isAdded, senderName });
  }

  /** Somebody has pressed one of the gateway's own buttons. Discord waits three seconds for the acknowledgement. */
  async #pressed(press: z.output<typeof Press> | undefined, signal: AbortSignal): Promise<void> {
    const choice = press ? choiceIn(press.data.custom_id) : null;
    const known = press && this.#deps.channels.find(press.channel_id);
    const user = press?.member?.user ?? press?.user;
    if (!press || !known || !user || choice === null) return this.#ignored('INTERACTION_CREATE');
    const isDirect = known.personId !== null;
    const { intake, ref, clock, rest } = this.#deps;
    await intake.received({
      from: { ...addressOf(ref, known), person: user.id },
      alias: null,
      remoteName: isDirect ? personName(user) : null,
      senderName: isDirect ? null : press.member?.nick || personName(user),
      platformMessageId: press.id,
      text: choice,
      sentAt: clock.nowIso(),
      files: [],
      replyTo: { platformMessageId: press.message.id, author: null, text: '' },
      choice,
    });
    await rest.acknowledge(press, signal).catch(() => undefined);
  }

  /** Previews that are added to a message come without its text, and so are ignored, too. */
  #ignored(kind: string): void {
    ignored(this.#deps.observer, 'event_ignored', kind);
  }

  async #channelGone(channelId: string | undefined): Promise<void> {
    const known = channelId === undefined ? null : this.#deps.channels.find(channelId);
    if (known) await this.#unreachable(known.parentId ?? known.channelId);
  }

  /** The bot was removed from a server. One that is only unavailable comes back. */
  async #guildGone(guild: z.output<typeof GuildRef> | undefined): Promise<void> {
    if (guild === undefined || guild.unavailable === true) return;
    const channels = this.#deps.channels.inGuild(guild.id);
    const spaces = new Set(channels.map(({ channelId, parentId }) => parentId ?? channelId));
    for (const spaceId of spaces) await this.#unreachable(spaceId);
  }

  async #unreachable(spaceId: string): Promise<void> {
    const { ref, intake, places } = this.#deps;
    places.changed(spaceId);
    await intake.reachable(addressOf(ref, { channelId: spaceId, parentId: null, personId: null }), false);
  }
}
