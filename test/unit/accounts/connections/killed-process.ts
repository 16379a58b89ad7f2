import { writeSync } from 'node:fs';
import { finishConnecting } from '../../../../src/accounts/connections/finish-connecting.ts';
import type { Connector } from '../../../../src/connectors/contract/connector.ts';
import type { ConnectionTokens, ConnectsByOAuth } from '../../../../src/connectors/contract/oauth.ts';
import { openStore } from '../../../../src/store/store.ts';
import { TurnableClock } from '../../../support/turnable-clock.ts';
import { connectionsOf } from '../test-connections.ts';

/**
 * A process that is killed: `connect` finishes connecting with the given state and code, and stops while the account is
 * identified; `refresh` refreshes the token of a connection again and again, and prints each one.
 */
const [dataDir = '', mode = '', publicUrl = '', client = '', one = '', two = ''] = process.argv.slice(2);
const HOUR_MS = 3_600_000;

let tokens: ConnectionTokens | undefined;
const oauth: ConnectsByOAuth = {
  client: JSON.parse(client),
  identify: () => {
    print('identifying');
    return new Promise(() => setInterval(() => undefined, 1_000));
  },
  onConnections: (given) => {
    tokens = given;
  },
  connected: () => undefined,
  disconnected: () => undefined,
};
const store = await openStore({ dataDir, masterKey: null });
const clock = new TurnableClock();
const connections = connectionsOf(store, {
  clock,
  connectors: new Map([['meet', { provides: { oauth } } as unknown as Connector]]),
  publicUrl: () => publicUrl,
});

if (mode === 'connect') {
  const session = { accountId: 'acc_ann', kind: 'session', credentialId: 'ses_acc_ann' } as const;
  const nothing = { error: '', errorDescription: '', isConfirmed: false };
  await finishConnecting(connections, 'meet', { ...nothing, state: one, code: two, session });
} else {
  for (;;) {
    print(await tokens!.accessToken(one));
    clock.turn(HOUR_MS);
  }
}

function print(line: string): void {
  writeSync(1, `${line}\n`);
}
