import { createHmac } from 'node:crypto';
import type { FakeMessage } from '../world/fake-message.ts';
import type { FakeRoom, RoomWatcher } from '../world/fake-room.ts';
import { newWord } from '../world/nc-ids.ts';
import type { NcWorld } from '../world/nc-world.ts';
import { shownMessage } from '../world/wire-message.ts';
import { actorOf, FEATURE, type InstalledBot, type TalkBots } from './talk-bots.ts';

/** What was sent to a bot's server. */
export interface BotDelivery {
  readonly bot: InstalledBot;
  // biome-ignore lint/suspicious/noExplicitAny: ActivityStreams
  readonly body: any;
  /** Of the answer; 0: there was none in time. */
  status: number;
}

export interface DeliveryOptions {
  /** In place of a new one: the delivery is a replay. */
  readonly random?: string;
  /** In place of the bot's own: the delivery is a forgery. */
  readonly secret?: string;
}

const TIMEOUT_MS = 5_000;

/** Tells bots with webhooks what happens in the conversations in which they are enabled (Talk's BotService). */
export class BotWebhooks implements RoomWatcher {
  readonly deliveries: BotDelivery[] = [];
  readonly #bots: TalkBots;
  readonly #world: NcWorld;
  readonly #origin: () => string;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(bots: TalkBots, world: NcWorld, origin: () => string) {
    this.#bots = bots;
    this.#world = world;
    this.#origin = origin;
  }

  /** Enables a bot in a conversation, as its moderators do. */
  enable(bot: InstalledBot, room: FakeRoom): void {
    if (room.bots.has(bot.id)) return;
    room.bots.add(bot.id);
    this.#tellOfBot('Join', bot, room);
  }

  disable(bot: InstalledBot, room: FakeRoom): void {
    if (room.bots.delete(bot.id)) this.#tellOfBot('Leave', bot, room);
  }

  /** Bots do not hear of what bots write, but of what else they do. Files count as messages of Talk's own. */
  wrote(room: FakeRoom, message: FakeMessage): void {
    const { verb, parent, actor } = message;
    if (verb === 'reaction') return this.#tellAll(room, FEATURE.reaction, this.#reaction(room, message));
    if (verb !== 'comment')
      return this.#tellAll(room, FEATURE.webhook, {
        type: 'Activity',
        actor: person(message),
        object: this.#note(room, message),
        target: collection(room),
      });
    const type = room.attendees.get(actor.id)?.type;
    if (actor.type === 'bots' || type === undefined) return;
    this.#tellAll(room, FEATURE.webhook, {
      type: 'Create',
      actor: { ...person(message), talkParticipantType: `${type}` },
      object: {
        ...this.#note(room, message),
        ...(parent && {
          inReplyTo: { type: 'Note', actor: person(parent), object: this.#note(room, parent) },
        }),
      },
      target: collection(room),
    });
  }

  unreacted(room: FakeRoom, reaction: FakeMessage): void {
    const object = this.#reaction(room, reaction);
    this.#tellAll(room, FEATURE.reaction, {
      type: 'Undo',
      actor: object.actor,
      object,
      target: object.target,
    });
  }

  /** Resolves when no delivery is under way. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Delivers something, whatever it is. Never rejects. */
  async deliver(bot: InstalledBot, body: object, options: DeliveryOptions = {}): Promise<BotDelivery> {
    const delivery: BotDelivery = { bot, body, status: 0 };
    this.deliveries.push(delivery);
    const sending = this.#send(delivery, options);
    this.#underWay.add(sending);
    await sending;
    this.#underWay.delete(sending);
    return delivery;
  }

  async #send(delivery: BotDelivery, { random = newWord(64), secret }: DeliveryOptions): Promise<void> {
    const { bot } = delivery;
    const body = JSON.stringify(delivery.body);
    try {
      const response = await fetch(bot.url, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-Nextcloud-Talk-Random': random,
          'X-Nextcloud-Talk-Signature': signatureOver(random, body, secret ?? bot.secret),
          'X-Nextcloud-Talk-Backend': `${this.#origin()}/`,
          'OCS-APIRequest': 'true',
        },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      delivery.status = response.status;
    } catch {
      // Counted below.
    }
    if (delivery.status !== 200 && delivery.status !== 202) bot.errors += 1;
  }

  #tellAll(room: FakeRoom, feature: number, body: object): void {
    for (const bot of this.#bots.in(room, feature)) void this.deliver(bot, body);
  }

  #tellOfBot(type: 'Join' | 'Leave', bot: InstalledBot, room: FakeRoom): void {
    if ((bot.features & FEATURE.webhook) === 0) return;
    const { id, name } = actorOf(bot);
    const actor = { type: 'Application', id: `bots/${id}`, name };
    void this.deliver(bot, { type, actor, object: collection(room) });
  }

  #reaction(room: FakeRoom, reaction: FakeMessage) {
    return {
      type: 'Like',
      actor: person(reaction),
      object: this.#note(room, reaction.parent!),
      target: collection(room),
      content: reaction.text,
    };
  }

  #note(room: FakeRoom, message: FakeMessage) {
    const { text, parameters } = shownMessage(
      { world: this.#world, origin: this.#origin(), room, viewer: null },
      message,
    );
    const shared = message.file ? 'file_shared' : 'message';
    return {
      type: 'Note',
      id: `${message.id}`,
      name: message.system ?? shared,
      // PHP writes an empty map as a list.
      content: JSON.stringify({
        message: text,
        parameters: Object.keys(parameters).length === 0 ? [] : parameters,
      }),
      mediaType: 'text/markdown',
    };
  }
}

/** Of webhooks and of what bots send: over the random and the text behind it. */
export function signatureOver(random: string, text: string, secret: string): string {
  return createHmac('sha256', secret).update(random).update(text).digest('hex');
}

/** Bots are called persons as well. */
function person({ actor }: FakeMessage) {
  return { type: 'Person', id: `${actor.type}/${actor.id}`, name: actor.name };
}

function collection({ token, name }: FakeRoom) {
  return { type: 'Collection', id: token, name };
}
