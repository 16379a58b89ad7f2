import * as z from 'zod';
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
});
export type RoomRecord = z.output<typeof RoomRecord>;

/** A message that is being sent, and may have arrived if the gateway died meanwhile. */
const SendingRecord = z.object({
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

  /** Null: it was not being sent. */
  async sending(messageId: string): Promise<SendingRecord | null> {
    return (
      SendingRecord.safeParse(await this.#records.find(this.#loginKey, 'sending', messageId)).data ?? null
    );
  }

  async putSending(messageId: string, value: SendingRecord): Promise<void> {
    await this.#records.put({ loginKey: this.#loginKey, kind: 'sending', key: messageId, value, messageId });
  }

  async sent(messageId: string): Promise<void> {
    await this.#records.delete(this.#loginKey, 'sending', messageId);
  }
}
