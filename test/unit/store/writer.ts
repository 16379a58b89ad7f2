import { writeSync } from 'node:fs';
import { appendEvent } from '../../../src/store/messages/events.ts';
import { insertAccount } from '../../../src/store/people/accounts.ts';
import { openStore } from '../../../src/store/store.ts';

/** Writes events into the data directory it is given, and says the id of each once it is stored; until it is killed. */
const store = await openStore({ dataDir: process.argv[2] as string, masterKey: null });
const createdAt = '2026-01-02T03:04:05.678Z';
await insertAccount(store.db, { id: 'acc_w', name: 'Writer', createdAt });
for (;;) {
  const payload = { text: 'x'.repeat(200) };
  const id = await appendEvent(store.db, {
    accountId: 'acc_w',
    agentId: null,
    type: 'test',
    payload,
    createdAt,
  });
  writeSync(1, `${id}\n`);
}
