import * as z from 'zod';
import type { Address } from '../../base/address.ts';
import type { OutboundMessage } from '../contract/messenger.ts';
import type { PlatformRecords } from '../contract/records.ts';
import { RoomToken } from './objects.ts';

/** What is kept of a room: of the direct conversation, and of those that were ever activated. */
const RoomRecord = z.object({
  token: RoomToken,
  kind: z.enum(['direct', 'channel']),
  /** Id of the last message that is stored, or need not be. */
  position: z.number(),
  isActive: z.boolean(),
  /** Whether the addon has been told whether it is active. */
  isListed: z.boolean(),
  /** Whether the addon encrypts the texts: they are not read behind its back. */
  isSealed: z.boolean(),
});
export type RoomRecord = z.output<typeof RoomRecord>;

/**
 * The last message of a conversation that was begun to be sent. It may have arrived if it is sent again. The next one is begun only
 * when what became of it is stored.
 */
const SendingRecord = z.object({
  messageId: z.string(),
  /** It is a webhook's answer, which the addon posts after the message of this id; null: it is posted from here. */
  answerAfter: z.number().nullable(),
});
export type SendingRecord = z.output<typeof SendingRecord>;

const BotRecord = z.object({
  /** The bot's user. Another one has other rooms, and has welcomed nobody. */
  botLogin: z.string(),
  isWelcomed: z.boolean(),
  /** Whether events of the addon arrive; null: not known. */
  hasEvents: z.boolean().nullable(),
});
export type BotRecord = z.output<typeof BotRecord>;

/** What is kept of one login between two runs. A change is on disk once its promise settles. */
export class TalkRecords {
  readonly #records: PlatformRecords;
  readonly #loginKey: string;

  constructor(records: PlatformRecords, loginKey: string) {
    this.#records = records;
    this.#loginKey = loginKey;
  }

  async bot(): Promise<BotRecord | null> {
    return BotRecord.safeParse(await this.#records.find(this.#loginKey, 'bot')).data ?? null;
  }

  async putBot(value: BotRecord): Promise<void> {
    await this.#records.put({ loginKey: this.#loginKey, kind: 'bot', value });
  }

  async rooms(): Promise<RoomRecord[]> {
    const values = await this.#records.list(this.#loginKey, 'room');
    return values.flatMap((value) => RoomRecord.safeParse(value).data ?? []);
  }

  async putRoom(value: RoomRecord): Promise<void> {
    await this.#records.put({ loginKey: this.#loginKey, kind: 'room', key: value.token, value });
  }

  async forgetRoom(token: string): Promise<void> {
    await this.#records.delete(this.#loginKey, 'room', token);
  }

  /** Null: the message was never begun to be sent. */
  async sending({ messageId, to }: Begun): Promise<SendingRecord | null> {
    const value = await this.#records.find(this.#loginKey, 'sending', placeOf(to));
    const { data } = SendingRecord.safeParse(value);
    return data?.messageId === messageId ? data : null;
  }

  async putSending({ messageId, to }: Begun, answerAfter: number | null): Promise<void> {
    const value: SendingRecord = { messageId, answerAfter };
    await this.#records.put({ loginKey: this.#loginKey, kind: 'sending', key: placeOf(to), value });
  }

  /** Nothing of the message has arrived. */
  async notSent({ to }: Begun): Promise<void> {
    await this.#records.delete(this.#loginKey, 'sending', placeOf(to));
  }
}

type Begun = Pick<OutboundMessage, 'messageId' | 'to'>;

function placeOf({ space, thread }: Address): string {
  return JSON.stringify([space.kind, space.id, thread]);
}
