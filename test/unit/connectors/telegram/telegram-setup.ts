import { onTestFinished } from 'vitest';
import { directAddress } from '../../../../src/base/address.ts';
import { ReadingTime } from '../../../../src/base/reading-time.ts';
import type { LoginState } from '../../../../src/connectors/contract/login.ts';
import type { OutboundFile, OutboundMessage } from '../../../../src/connectors/contract/messenger.ts';
import { telegramConnector } from '../../../../src/connectors/telegram/telegram-connector.ts';
import type { FormFile } from '../../../fakes/multipart-form.ts';
import type { FakeBot } from '../../../fakes/telegram/fake-bot.ts';
import { FakeTelegram, type FakeTelegramOptions } from '../../../fakes/telegram/fake-telegram.ts';
import { MemoryRecords } from '../../../support/memory-records.ts';
import { TurnableClock } from '../../../support/turnable-clock.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { MemoryIntake } from './memory-intake.ts';

export const BOT_ID = 'bot_own';

/** A fake Telegram with a bot, closed with the test, which fails on any violation of the Bot API. */
export async function telegram(
  options: FakeTelegramOptions = {},
): Promise<{ fake: FakeTelegram; bot: FakeBot }> {
  const fake = await FakeTelegram.start(options);
  onTestFinished(async () => {
    await fake.stop();
    if (fake.offences.length > 0) throw new Error(`against the Bot API: ${fake.offences.join('; ')}`);
  });
  return { fake, bot: fake.addBot() };
}

export interface ConnectorOptions {
  readonly sharedToken?: string;
  readonly webhookRoot?: () => string;
  readonly intake?: MemoryIntake;
  readonly records?: MemoryRecords;
}

/** A connector to the fake, closed with the test. */
export function connectorTo(fake: FakeTelegram, options: ConnectorOptions = {}) {
  const clock = new TurnableClock();
  const intake = options.intake ?? new MemoryIntake();
  const records = options.records ?? new MemoryRecords();
  const states: LoginState[] = [];
  const counts = new Map<string, number>();
  const connector = telegramConnector({
    urls: { api: fake.url, files: `${fake.url}/file` },
    sharedToken: options.sharedToken ?? null,
    webhookRoot: options.webhookRoot ?? null,
    clock,
    readingTime: new ReadingTime(clock),
    observer: { count: (event) => counts.set(event, (counts.get(event) ?? 0) + 1), log: () => undefined },
    records,
  });
  connector.provides.messenger!.onMessages(intake);
  connector.provides.bots!.onBotState((_botId, state) => states.push(state));
  onTestFinished(() => connector.close(0));
  return { connector, clock, intake, records, states, counts };
}

/** The same with the account's own bot logged in. */
export async function ownBot(options: FakeTelegramOptions & ConnectorOptions = {}) {
  const { fake, bot } = await telegram(options);
  const setup = connectorTo(fake, options);
  await setup.connector.provides.bots!.addBot({ id: BOT_ID, accountId: 'acc_a', token: bot.token });
  return { fake, bot, ...setup };
}

export const LOGIN = { kind: 'bot_token', id: BOT_ID } as const;

export function outbound(
  remoteId: number,
  text: string,
  attachments: readonly OutboundFile[] = [],
): OutboundMessage {
  return { messageId: 'msg_1', to: directAddress(LOGIN, String(remoteId)), text, attachments };
}

const PIECE_BYTES = 64 * 1024;

/** A file in small pieces, as if read from disk. */
export function outboundFile(name: string, mime: string, bytes: Uint8Array): OutboundFile {
  return {
    name,
    mime,
    sizeBytes: bytes.length,
    async *open() {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
    },
  };
}

export const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(5_000, 7)]);

export function formFile(name: string, mime: string, bytes: Buffer = JPEG): FormFile {
  return { name, mime, bytes };
}

/** Advances the clock until a condition holds, so that no test waits for the pauses between retries. */
export async function afterPauses<T>(clock: TurnableClock, what: string, condition: () => T, stepMs = 1_000) {
  return await waitFor(what, () => {
    clock.turn(stepMs);
    return condition();
  });
}

export const NEVER = new AbortController().signal;
