import { appendFileSync, writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../../src/base/time.ts';
import type { Messenger } from '../../../src/connectors/contract/messenger.ts';
import { openOutbound } from '../../../src/messaging/outbox/open-outbound.ts';
import { recoverOutbox } from '../../../src/messaging/outbox/recover-outbox.ts';
import { writeMessage } from '../../../src/messaging/outbox/write-message.ts';
import { openStore } from '../../../src/store/store.ts';

/**
 * Sends messages in every conversation of the given data directory until it is killed, and prints the outcome of each
 * or, in the background, that it is stored. The platform is a file that has the id of every message that it accepted.
 */
const [dataDir = '', platformFile = '', mode = ''] = process.argv.slice(2);
const isBackground = mode === 'in the background';
const AT_ONCE = 3;
const BUSY_MS = 4;

const messenger: Messenger = {
  onMessages() {},
  checkText() {},
  async send({ messageId }) {
    await wait(Math.random() * BUSY_MS);
    appendFileSync(platformFile, `${messageId}\n`);
    await wait(Math.random() * BUSY_MS);
    return { kind: 'sent', platformMessageIds: [messageId] };
  },
  ...(mode === 'drops duplicates' ? { dropsDuplicates: true } : {}),
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
  const draft = { senderAgentId: null, text: 'Hello', files: isBackground ? files : [], request: null };
  const { message, settled } = await writeMessage(domain, conversationId, draft, 25_000);
  if (isBackground) writeSync(1, `${message.id} stored\n`);
  const { kind } = await settled;
  if (!isBackground) writeSync(1, `${message.id} ${kind}\n`);
}

async function writeOn(conversationId: string): Promise<never> {
  for (;;) await Promise.all(Array.from({ length: AT_ONCE }, () => writeOne(conversationId)));
}

const conversations = await store.db.selectFrom('conversations').select('id').execute();
for (const { id } of conversations) writeOn(id).catch(fail);
