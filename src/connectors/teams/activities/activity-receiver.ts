import { KeyedQueue } from '../../../base/keyed-queue.ts';
import type { Clock } from '../../../base/time.ts';
import type { AnsweredMessage, InboundFile, MessageIntake } from '../../contract/messenger.ts';
import { ignored } from '../../kit/ignored.ts';
import { linesOf } from '../../kit/text-lines.ts';
import { choiceIn } from '../messages/buttons.ts';
import type { ConversationReferences } from '../messages/conversation-references.ts';
import type { Directory } from '../messages/directory.ts';
import { emojiOfType } from '../messages/reactions.ts';
import { fullText, mentionsBot, plainText, quotedIn } from '../messages/text.ts';
import type { TeamsObserver } from '../teams-observer.ts';
import { type Activity, type ActivityPlace, placeOf } from './activity.ts';
import type { TeamsNewcomers } from './newcomers.ts';

const BOT_ID = /^28:/;

export interface ActivityReceiverDeps {
  readonly clock: Clock;
  readonly observer: TeamsObserver;
  readonly references: ConversationReferences;
  readonly directory: Directory;
  readonly newcomers: TeamsNewcomers;
  intake(): MessageIntake;
  /** What of a message's attachments is offered for download, and lines that stand for the rest. */
  readonly filesOf: (attachments: readonly unknown[]) => {
    readonly files: readonly InboundFile[];
    readonly stubs: readonly string[];
  };
}

/** Stores what activities tell. Those of a conversation are handled one after the other. */
export class ActivityReceiver {
  readonly #deps: ActivityReceiverDeps;
  readonly #queue = new KeyedQueue();

  constructor(deps: ActivityReceiverDeps) {
    this.#deps = deps;
  }

  /** Resolves once everything in the activity is stored. Rejects when it cannot be stored now. */
  async take(activity: Activity): Promise<void> {
    const place = placeOf(activity);
    if (place === null) return this.#ignored(activity);
    await this.#queue.run(place.reference.conversationId, () => this.#take(activity, place));
  }

  async settled(): Promise<void> {
    await this.#queue.settled();
  }

  async #take(activity: Activity, place: ActivityPlace): Promise<void> {
    switch (activity.type) {
      case 'message':
        return await this.#message(activity, place);
      case 'messageReaction':
        return await this.#reacted(activity, place);
      case 'messageUpdate':
        return await this.#edited(activity, place, fullText(activity));
      case 'messageDelete':
        return await this.#edited(activity, place, null);
      case 'installationUpdate':
        return await this.#installed(activity, place);
      case 'conversationUpdate':
        return await this.#membersChanged(activity, place);
      default:
        return this.#ignored(activity);
    }
  }

  #ignored({ type, name = '' }: Activity): void {
    ignored(this.#deps.observer, 'event_ignored', `${type} ${name}`.trim());
  }

  async #message(activity: Activity, place: ActivityPlace): Promise<void> {
    const { id, from } = activity;
    const { space } = place.address;
    const isHeard = space.kind === 'direct' || mentionsBot(activity) || choiceIn(activity.value) !== null;
    if (id === undefined || !from || BOT_ID.test(from.id) || from.role === 'bot' || !isHeard)
      return this.#ignored(activity);
    await this.#deps.references.heard(space, place.reference);
    const name = await this.#nameOf(activity, place);
    const text = plainText(activity);
    const had = await this.#deps.newcomers.tryCode({ text, memberId: from.id, place, name });
    if (had !== 'used') await this.#receive(activity, { id, place, name, hadCode: had === 'wrong' });
    // Whoever has disconnected before is not on disk any more.
    else await this.#deps.references.keep(space, true);
  }

  async #receive(
    activity: Activity,
    message: {
      readonly id: string;
      readonly place: ActivityPlace;
      readonly name: string | null;
      readonly hadCode: boolean;
    },
  ): Promise<void> {
    const { intake, filesOf, newcomers, references } = this.#deps;
    const { attachments = [], from, timestamp } = activity;
    const { id, place, name, hadCode } = message;
    const { files, stubs } = filesOf(attachments);
    const text = linesOf([choiceIn(activity.value) ?? fullText(activity), ...stubs]);
    if (text === '' && files.length === 0) return this.#ignored(activity);
    const { address } = place;
    const choice = choiceIn(activity.value);
    const pressed = choice === null ? undefined : pressedIn(activity);
    const taken = await intake().received({
      from: address,
      alias: null,
      remoteName: name,
      senderName: address.space.kind === 'direct' ? null : (from?.name ?? null),
      platformMessageId: id,
      text,
      sentAt: this.#timeOf(timestamp),
      files,
      replyTo: pressed ?? quotedIn(activity),
      ...(choice !== null && { choice }),
    });
    if (taken === 'unbound') newcomers.notify(place, hadCode);
    else await references.keep(address.space);
  }

  async #reacted(activity: Activity, { address }: ActivityPlace): Promise<void> {
    const { from, replyToId, reactionsAdded = [], reactionsRemoved = [] } = activity;
    if (replyToId === undefined || !from || BOT_ID.test(from.id)) return this.#ignored(activity);
    const { intake } = this.#deps;
    const told = { platformMessageId: replyToId, senderName: from.name ?? null };
    for (const { type } of reactionsRemoved)
      await intake().reacted(address, { ...told, emoji: emojiOfType(type), isAdded: false });
    for (const { type } of reactionsAdded)
      await intake().reacted(address, { ...told, emoji: emojiOfType(type), isAdded: true });
  }

  async #edited(activity: Activity, { address }: ActivityPlace, text: string | null): Promise<void> {
    if (activity.id === undefined) return this.#ignored(activity);
    await this.#deps.intake().edited(address, activity.id, text);
  }

  /** https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/subscribe-to-conversation-events#installation-update-event */
  async #installed(activity: Activity, { address, reference }: ActivityPlace): Promise<void> {
    const { action = '' } = activity;
    const isThere = action.startsWith('add');
    if (!isThere && !action.startsWith('remove')) return this.#ignored(activity);
    await this.#reachable(address, reference, isThere);
  }

  /** Others' comings and goings do not matter. */
  async #membersChanged(activity: Activity, { address, reference }: ActivityPlace): Promise<void> {
    const { membersAdded = [], membersRemoved = [], recipient } = activity;
    const isBot = ({ id }: { readonly id: string }) => id === recipient?.id;
    if (membersAdded.some(isBot)) await this.#reachable(address, reference, true);
    else if (membersRemoved.some(isBot)) await this.#reachable(address, reference, false);
    else this.#ignored(activity);
  }

  async #reachable(
    address: ActivityPlace['address'],
    reference: ActivityPlace['reference'],
    isReachable: boolean,
  ): Promise<void> {
    if (isReachable) await this.#deps.references.heard(address.space, reference);
    await this.#deps.intake().reachable({ ...address, thread: null }, isReachable);
  }

  async #nameOf({ from, conversation }: Activity, { address, teamId, reference }: ActivityPlace) {
    if (address.space.kind === 'direct') return from?.name ?? null;
    if (teamId === null) return conversation?.name ?? null;
    return await this.#deps.directory.channelName(teamId, reference);
  }

  #timeOf(timestamp = ''): string {
    return Number.isNaN(Date.parse(timestamp))
      ? this.#deps.clock.nowIso()
      : new Date(timestamp).toISOString();
  }
}

/** The message whose button was pressed. */
function pressedIn({ replyToId }: Activity): AnsweredMessage | undefined {
  return replyToId === undefined ? undefined : { platformMessageId: replyToId, author: null, text: '' };
}
