import { KeyedQueue } from '../../../src/base/keyed-queue.ts';
import type { FakeBridge, Posted } from '../../fakes/platform-bridge/fake-bridge.ts';
import type { Gateway } from '../../support/gateway.ts';
import { SEEN_ON } from '../../support/seen/platform-readers.ts';
import type { Seen } from '../../support/seen/seen.ts';
import { waitFor } from '../../support/wait-for.ts';
import type {
  ChannelUnderTest,
  PersonUnderTest,
  ReceivedMessage,
  TestFile,
  WrittenMessage,
} from './messenger-under-test.ts';

export const PLATFORM = 'nctalk';
const TOLD_WITHIN_MS = 60_000;

type Place = Readonly<Record<'person' | 'channel', { readonly id: string; readonly name: string }>>;

/** Where something is written: in a direct conversation there is no channel. */
type PlaceOf = Pick<Place, 'person'> & Partial<Pick<Place, 'channel'>>;

/** Tells the gateway what happens, as a bridge has to: until it is answered, one request after the other. */
export class BridgeReports {
  readonly bridge: FakeBridge;
  readonly #gateway: Gateway;
  readonly #queue = new KeyedQueue();
  #messages = 0;

  constructor(bridge: FakeBridge, gateway: Gateway) {
    this.bridge = bridge;
    this.#gateway = gateway;
  }

  newId(): string {
    this.#messages += 1;
    return `m-${this.#messages}`;
  }

  /** Resolves with what became of the event. */
  async tell({ person, channel }: PlaceOf, event: object): Promise<string> {
    const body = JSON.stringify({
      version: 1,
      events: [{ platform: PLATFORM, person, ...(channel && { channel }), ...event }],
    });
    const status = () => this.#post(body).catch(() => null);
    return await this.#queue.run(channel?.id ?? person.id, () =>
      waitFor('the gateway to take an event', status, TOLD_WITHIN_MS),
    );
  }

  /** Messages that the bridge has shown in a direct conversation or channel. */
  shownIn(spaceId: string): readonly Extract<Posted, { type: 'message' }>[] {
    return this.bridge.told.all.flatMap((each) =>
      each.type === 'message' && each.space.id === spaceId ? [each] : [],
    );
  }

  async #post(body: string): Promise<string | null> {
    const headers = { 'X-API-Key': this.bridge.key };
    const url = `${this.#gateway.baseUrl}/api/maquisard/event`;
    const answer = await fetch(url, { method: 'POST', headers, body });
    if (!answer.ok) return null;
    const { results } = (await answer.json()) as { results: [{ status: string }] };
    return results[0].status;
  }
}

/** A person at the bridge's platform. */
export class BridgedPerson implements PersonUnderTest {
  readonly remoteId: string;
  readonly name: string;
  readonly #reports: BridgeReports;
  readonly #events = new Map<WrittenMessage, object>();

  constructor(reports: BridgeReports, name: string) {
    this.#reports = reports;
    this.name = name;
    this.remoteId = `users/${name}`;
  }

  get place(): PlaceOf {
    return { person: { id: this.remoteId, name: this.name } };
  }

  writes(text: string): WrittenMessage {
    return this.#write({ text });
  }

  sendsFile({ name, mime, bytes }: TestFile, caption: string): WrittenMessage {
    const url = this.#reports.bridge.share(bytes);
    return this.#write({ text: caption, attachments: [{ name, mime, size: bytes.length, url }] });
  }

  repeats(message: WrittenMessage): void {
    void this.#reports.tell(this.place, this.#events.get(message)!);
  }

  edits({ platformMessageId }: WrittenMessage, text: string): void {
    void this.#reports.tell(this.place, { type: 'edit', message_id: platformMessageId, text });
  }

  received(): readonly ReceivedMessage[] {
    return this.#reports.shownIn(this.remoteId).map(({ text, message_id }) => ({
      text,
      platformMessageId: this.#reports.bridge.idOf(message_id)!,
      file: null,
    }));
  }

  /** The bridge gets what was written. */
  sees(id: string): Seen {
    return SEEN_ON.commonMark(
      this.received().find(({ platformMessageId }) => platformMessageId === id)!.text,
    );
  }

  answers(message_id: string, text: string): WrittenMessage {
    return this.#write({ text, reply_to: { message_id } });
  }

  reacts(message_id: string, isAdded: boolean): void {
    const action = isAdded ? 'added' : 'removed';
    void this.#reports.tell(this.place, { type: 'reaction', message_id, emoji: '👍', action });
  }

  reactionsTo(id: string): readonly string[] {
    const shown = new Set<string>();
    for (const each of this.#reports.bridge.told.all) {
      if (each.type !== 'reaction' || each.message_id !== id) continue;
      if (each.action === 'added') shown.add(each.emoji);
      else shown.delete(each.emoji);
    }
    return [...shown];
  }

  typingShown(): number {
    const isHere = (each: Posted) => each.type === 'typing' && each.space.id === this.remoteId;
    return this.#reports.bridge.told.all.filter(isHere).length;
  }

  blocks(): void {
    this.#reports.bridge.blocked.add(this.remoteId);
  }

  unblocks(): void {
    this.#reports.bridge.blocked.delete(this.remoteId);
  }

  #write(content: object): WrittenMessage {
    const platformMessageId = this.#reports.newId();
    const event = { type: 'dm', message_id: platformMessageId, ...content };
    let isAcknowledged = false;
    const message = { platformMessageId, isAcknowledged: () => isAcknowledged };
    this.#events.set(message, event);
    void this.#reports.tell(this.place, event).then(() => {
      isAcknowledged = true;
    });
    return message;
  }
}

/** A room at the bridge's platform. */
export class BridgedChannel implements ChannelUnderTest {
  readonly id = 'rooms/plans';
  readonly name = 'Plans';
  readonly memberName = 'Olga';
  readonly #reports: BridgeReports;

  constructor(reports: BridgeReports) {
    this.#reports = reports;
  }

  get place(): PlaceOf {
    const { id, name, memberName } = this;
    return { person: { id: 'users/Olga', name: memberName }, channel: { id, name } };
  }

  writes(text: string, thread: string | null = null): string {
    const messageId = this.#reports.newId();
    void this.#reports.tell(this.place, { type: 'dm', message_id: messageId, text, thread });
    return messageId;
  }

  received(): readonly { readonly text: string; readonly thread: string | null }[] {
    return this.#reports.shownIn(this.id).map(({ text, thread }) => ({ text, thread }));
  }
}
