import { appendFileSync, writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../../src/base/time.ts';
import type { Messenger } from '../../../src/connectors/contract/messenger.ts';
import { openOutbound } from '../../../src/messaging/outbox/open-outbound.ts';
import { recoverOutbox } from '../../../src/messaging/outbox/recover-outbox.ts';
import { SendingTurns } from '../../../src/messaging/outbox/sending-turns.ts';
import { addressOf } from '../../../src/messaging/outbox/stored-message.ts';
import { writeMessages } from '../../../src/messaging/outbox/write-message.ts';
import type { Conversation } from '../../../src/store/messages/conversations.ts';
import { openStore } from '../../../src/store/store.ts';

/**
 * Sends messages in every conversation of the given data directory until it is killed, and prints the outcome of each
 * or, in the background, that it is stored. The platform is a file that has the id of every message that it accepted,
 * and how it got it.
 */
const [dataDir = '', platformFile = '', mode = ''] = process.argv.slice(2);
const isBackground = mode === 'in the background' || mode === 'in parts';
/** Parts of a text that is split. */
const PARTS = mode === 'in parts' ? 3 : 1;
const AT_ONCE = 3;
const BUSY_MS = 4;
const WEBHOOK_MS = 1_000;
/** How often the client of a webhook goes before anything is written. */
const GONE = 0.3;

const messenger: Messenger = {
  onMessages() {},
  checkText() {},
  async send({ messageId }) {
    await wait(Math.random() * BUSY_MS);
    appendFileSync(platformFile, `${messageId} sent\n`);
    await wait(Math.random() * BUSY_MS);
    return { kind: 'sent', platformMessageIds: [messageId] };
  },
  ...(mode === 'drops duplicates' ? { dropsDuplicatesForMs: Number.POSITIVE_INFINITY } : {}),
};

function fail(error: unknown): never {
  writeSync(2, `${(error as Error).stack}\n`);
  process.exit(1);
}

const store = await openStore({ dataDir, masterKey: null });
const domain = openOutbound({
  store,
  clock: systemClock,
  messengers: new Map([['telegram', messenger]]),
  turns: new SendingTurns(systemClock, new Map([['telegram', messenger]])),
  windows: null,
  ready: Promise.resolve(),
  wakeups: { wake() {} },
  filesOf: async () => [],
  resolveFiles: async () => [],
  observer: {
    messageSettled() {},
    messengerFailed: (_, error) => fail(error),
    queueFull: () => fail(new Error('full')),
  },
  timeoutText: '',
  onProbeAnswered() {},
  onFailure: (_, error) => fail(error),
});
await recoverOutbox(domain, domain.outbox, fail);

const rows = await store.db.selectFrom('files').select('id').execute();
const files = rows.map(({ id: fileId }) => ({
  fileId,
  name: 'a.txt',
  mime: 'text/plain',
  sizeBytes: 1,
  open: async function* () {
    yield new Uint8Array(1);
  },
}));

async function writeOne(conversationId: string): Promise<void> {
  const withFiles = isBackground && PARTS === 1;
  const draft = { senderAgentId: null, text: 'Hello', files: withFiles ? files : [], request: null };
  const drafts = Array.from({ length: PARTS }, () => draft);
  for (const { message, settled } of await writeMessages(domain, conversationId, drafts, 25_000)) {
    if (isBackground) writeSync(1, `${message.id} stored\n`);
    const { kind } = await settled;
    if (!isBackground) writeSync(1, `${message.id} ${kind}\n`);
  }
}

async function writeOn(conversationId: string): Promise<never> {
  for (;;) await Promise.all(Array.from({ length: AT_ONCE }, () => writeOne(conversationId)));
}

/** Webhooks of a conversation, one after the other, that wait for its next message. */
async function answerOn(conversation: Conversation): Promise<never> {
  const from = (await addressOf(store.db, conversation))!;
  const stays = new AbortController().signal;
  for (;;) {
    const reply = await domain.answers.wait(
      'telegram',
      { accountId: conversation.accountId, from },
      WEBHOOK_MS,
      stays,
    );
    if (reply === null) continue;
    await wait(Math.random() * BUSY_MS);
    if (Math.random() < GONE) {
      reply.settle(null);
      // Meanwhile messages are sent.
      await wait(BUSY_MS);
      continue;
    }
    appendFileSync(platformFile, `${reply.message.messageId} answer\n`);
    await wait(Math.random() * BUSY_MS);
    reply.settle({ kind: 'sent', platformMessageIds: [reply.message.messageId] });
  }
}

const conversations = await store.db.selectFrom('conversations').selectAll().execute();
for (const conversation of conversations) {
  if (mode === 'answers webhooks') answerOn(conversation).catch(fail);
  writeOn(conversation.id).catch(fail);
}
