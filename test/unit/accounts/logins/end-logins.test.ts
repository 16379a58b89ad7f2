import { expect, test } from 'vitest';
import type { AccountDomain } from '../../../../src/accounts/account/account-domain.ts';
import { endLogins } from '../../../../src/accounts/logins/end-logins.ts';
import { systemClock } from '../../../../src/base/time.ts';
import type { Connector } from '../../../../src/connectors/contract/connector.ts';
import { loginsOf } from '../../../../src/store/people/account-access.ts';
import { temporaryStore } from '../../store/temporary.ts';
import { FakeBotHost } from '../fake-bot-host.ts';
import { FakeDirectory } from '../fake-directory.ts';
import { fullAccount } from '../full-account.ts';
import { connectionsOf } from '../test-connections.ts';

test('ending an account’s logins ends its calls and logs out its bots, connections, numbers and trunk', async () => {
  const store = await temporaryStore();
  const [gone, stayer] = [await fullAccount(store, 'gone'), await fullAccount(store, 'stayer')];
  const host = new FakeBotHost();
  host.bots.set('row_gone', 'token').set('row_stayer', 'token');
  const directory = new FakeDirectory();
  for (const { accountId } of [gone, stayer]) {
    directory.putTrunk({ accountId } as never);
    directory.putNumber({ didId: accountId.replace('acc_', 'row_') } as never);
  }
  const posted: unknown[] = [];
  const calls = {
    connectors: new Map([['slack', host]]),
    registry: {
      listOf: (accountId: string) => [{ post: (event: object) => posted.push([accountId, event]) }],
    },
  };
  const ended: string[] = [];
  const oauth = { client: null, onConnections() {}, disconnected: (id: string) => void ended.push(id) };
  const teams = { provides: { oauth } } as unknown as Connector;
  const connections = connectionsOf(store, { connectors: new Map([['teams', teams]]) });
  const domain = { store, directory, clock: systemClock, calls, connections } as unknown as AccountDomain;
  await endLogins(domain, gone.accountId, await loginsOf(store.db, gone.accountId));
  expect(posted).toEqual([[gone.accountId, expect.objectContaining({ type: 'hang_up' })]]);
  expect([[...host.bots.keys()], ended]).toEqual([['row_stayer'], ['row_gone']]);
  expect([[...directory.trunks.keys()], [...directory.numbers.keys()]]).toEqual([
    [stayer.accountId],
    ['row_stayer'],
  ]);
});
