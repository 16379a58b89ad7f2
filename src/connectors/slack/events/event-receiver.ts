import { type Address, channelAddress, directAddress, type LoginRef } from '../../../base/address.ts';
import { KeyedQueue } from '../../../base/keyed-queue.ts';
import { LimitedMap } from '../../../base/limited-map.ts';
import type { InboundFile, MessageIntake } from '../../contract/messenger.ts';
import { linesOf } from '../../kit/text-lines.ts';
import { blockText } from '../messages/block-text.ts';
import { isOwnChoice } from '../messages/buttons.ts';
import { type Directory, personId } from '../messages/directory.ts';
import { emojiNamed } from '../messages/emoji-names.ts';
import { goneFiles } from '../messages/inbound-files.ts';
import { mentionsIn, plainText } from '../messages/plain-text.ts';
import { type Shared, sharedIn } from '../messages/shared-messages.ts';
import { AnyEvent, ChannelEvent, type Content, PressEvent, ReactionEvent } from './event-payload.ts';
import { isWorkflow, type Reading, readMessage } from './message-reading.ts';

const MAX_KNOWN_EVENTS = 20_000;
const MAX_KNOWN_EDITS = 5_000;

export interface EventReceiverDeps {
  readonly ref: LoginRef;
  readonly directory: Directory;
  intake(): MessageIntake;
  /** The bot's own user. */
  botUserId(): string;
  /** The bot's workspace and organization. */
  home(): ReadonlySet<string>;
  /** Returns the files of a message as far as Slack tells of them now. Never rejects. */
  filesOf(files: readonly unknown[]): Promise<readonly InboundFile[]>;
  /** The app was removed, or its tokens revoked. */
  ended(): void;
  /** An event tells nothing that matters. `kind`: its type and subtype. */
  ignored(kind: string): void;
}

/** Stores what the events of one login tell. The events of a channel are handled one after the other. */
export class EventReceiver {
  readonly #deps: EventReceiverDeps;
  readonly #queue = new KeyedQueue();
  /** Ids of handled events. Slack repeats an event whose acknowledgement it did not get in time. */
  readonly #known = new LimitedMap<true>(MAX_KNOWN_EVENTS);
  /** When messages were last edited, by channel and ts: events may come in any order. */
  readonly #edits = new LimitedMap<string>(MAX_KNOWN_EDITS);

  constructor(deps: EventReceiverDeps) {
    this.#deps = deps;
  }

  /** Resolves once everything in the event is stored. Rejects when it cannot be stored now. */
  async take(event: unknown, eventId: string | undefined): Promise<void> {
    const { data: channel } = ChannelEvent.safeParse(event);
    await this.#queue.run(channel?.channel ?? '', async () => {
      if (eventId !== undefined && this.#known.get(eventId)) return;
      if (!(await this.#takeOnce(event))) this.#deps.ignored(kindOf(event));
      if (eventId !== undefined) this.#known.set(eventId, true);
    });
  }

  async settled(): Promise<void> {
    await this.#queue.settled();
  }

  /** Returns whether it says anything that matters. */
  async #takeOnce(event: unknown): Promise<boolean> {
    switch (AnyEvent.safeParse(event).data?.type ?? '') {
      case 'message':
      case 'app_mention':
        return await this.#takeMessage(event);
      case 'member_left_channel':
      case 'member_joined_channel':
        return await this.#takeMember(event);
      case 'channel_left':
      case 'group_left':
      case 'channel_archive':
      case 'group_archive':
      case 'channel_deleted':
      case 'group_deleted':
        return await this.#reachable(event, false);
      case 'channel_unarchive':
      case 'group_unarchive':
        return await this.#reachable(event, true);
      case 'reaction_added':
        return await this.#reacted(event, true);
      case 'reaction_removed':
        return await this.#reacted(event, false);
      case 'block_actions':
        return await this.#pressed(event);
      case 'app_uninstalled':
      case 'tokens_revoked':
        this.#deps.ended();
        return true;
      default:
        return false;
    }
  }

  async #takeMessage(event: unknown): Promise<boolean> {
    const { ref, botUserId, home } = this.#deps;
    const reading = readMessage(event, { login: ref, botUserId: botUserId(), home: home() });
    if (reading === null) return false;
    if (reading.kind === 'written') return await this.#written(reading.from, reading.content, event);
    await this.#edited(reading);
    return true;
  }

  async #written(from: Address, content: Content, event: unknown): Promise<boolean> {
    const { directory, intake, filesOf } = this.#deps;
    const isDirect = from.space.kind === 'direct';
    const { data: place } = ChannelEvent.safeParse(event);
    if (isDirect && place) directory.heardDirect(from.space.id, place.channel);
    const { user_profile: profile, bot_profile: bot, attachments } = content;
    const isFromBot = isWorkflow(content);
    const shared = sharedIn(attachments ?? []);
    const [person, channel, text, files] = await Promise.all([
      // People of other workspaces may be unknown in this one; their messages say who they are.
      isFromBot
        ? (bot?.name ?? null)
        : directory.personName(from.person!, profile?.display_name || profile?.real_name || null),
      isDirect ? null : directory.channelName(from.space.id),
      this.#text(content, shared),
      filesOf([...(content.files ?? []), ...shared.files]),
    ]);
    if (text === '' && files.length === 0) return false;
    await intake().received({
      from,
      alias: null,
      remoteName: isDirect ? person : channel,
      senderName: isDirect ? null : person,
      platformMessageId: content.ts,
      text,
      sentAt: new Date(Number(content.ts) * 1_000).toISOString(),
      files,
      isFromBot,
      // Slack has no replies but threads; what began one is the context of its first message.
      replyTo: from.thread === null ? undefined : { platformMessageId: from.thread, author: null, text: '' },
    });
    return true;
  }

  /** Reactions of the bot itself are no news. */
  async #reacted(event: unknown, isAdded: boolean): Promise<boolean> {
    const { data } = ReactionEvent.safeParse(event);
    const { ref, directory, intake, botUserId } = this.#deps;
    if (!data || data.user === botUserId()) return false;
    const { user, reaction, item } = data;
    const isDirect = item.channel.startsWith('D');
    const from = isDirect ? directAddress(ref, user) : { ...channelAddress(ref, item.channel), person: user };
    const senderName = await directory.personName(user);
    const emoji = emojiNamed(reaction);
    await intake().reacted(from, { platformMessageId: item.ts, emoji, isAdded, senderName });
    return true;
  }

  /** Somebody has pressed one of the gateway's own buttons. */
  async #pressed(event: unknown): Promise<boolean> {
    const { press } = PressEvent.safeParse(event).data ?? {};
    const { ref, directory, intake, home } = this.#deps;
    const [action] = press?.actions ?? [];
    if (!press?.message || !press.channel || action?.value === undefined || !isOwnChoice(action.action_id))
      return false;
    const { user, channel, message } = press;
    const person = personId(
      user.id,
      user.team_id === undefined || home().has(user.team_id) ? null : user.team_id,
    );
    const thread = message.thread_ts === message.ts ? null : (message.thread_ts ?? null);
    const isDirect = channel.id.startsWith('D');
    if (isDirect) directory.heardDirect(person, channel.id);
    const from = isDirect
      ? { ...directAddress(ref, person), thread }
      : { ...channelAddress(ref, channel.id), thread, person };
    const name = await directory.personName(person, user.name ?? null);
    const atTs = action.action_ts ?? message.ts;
    await intake().received({
      from,
      alias: null,
      remoteName: isDirect ? name : await directory.channelName(channel.id),
      senderName: isDirect ? null : name,
      platformMessageId: `press ${atTs} ${user.id}`,
      text: action.value,
      sentAt: new Date(Number(atTs) * 1_000).toISOString(),
      files: [],
      replyTo: { platformMessageId: message.ts, author: null, text: '' },
      choice: action.value,
    });
    return true;
  }

  async #edited({ from, content, isDeleted, atTs }: Extract<Reading, { kind: 'edited' }>): Promise<void> {
    const key = `${from.space.kind} ${from.space.id} ${content.ts}`;
    if (isLater(this.#edits.get(key), atTs)) return;
    const text = isDeleted ? null : await this.#text(content, sharedIn(content.attachments ?? []));
    await this.#deps.intake().edited(from, content.ts, text);
    this.#edits.set(key, atTs);
  }

  /** The bot itself has joined or left a channel. Others' comings and goings do not matter. */
  async #takeMember(event: unknown): Promise<boolean> {
    const { data } = ChannelEvent.safeParse(event);
    if (data?.user !== this.#deps.botUserId()) return false;
    return await this.#reachable(event, AnyEvent.parse(event).type === 'member_joined_channel');
  }

  async #reachable(event: unknown, isReachable: boolean): Promise<boolean> {
    const { data } = ChannelEvent.safeParse(event);
    if (!data) return false;
    const { intake, ref } = this.#deps;
    await intake().reachable(channelAddress(ref, data.channel), isReachable);
    return true;
  }

  /** The text says what the blocks do, if there is one. */
  async #text({ text, blocks, files }: Content, shared: Shared): Promise<string> {
    const { directory, botUserId } = this.#deps;
    const gone = goneFiles([...(files ?? []), ...shared.files]);
    const source = linesOf([text || blockText(blocks ?? []), shared.text, ...gone]);
    return plainText(source, await directory.namesOf(mentionsIn(source), botUserId()), botUserId());
  }
}

function kindOf(event: unknown): string {
  const { type = 'unknown', subtype = '' } = AnyEvent.safeParse(event).data ?? {};
  return `${type} ${subtype}`.trim();
}

/** Compares two of Slack's times, whose seconds have the same number of digits. */
function isLater(one: string | undefined, other: string): boolean {
  return one !== undefined && one > other;
}
