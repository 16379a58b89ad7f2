import { cutText } from '../../base/cut-text.ts';
import type { Platform } from '../../base/platform.ts';
import type { ConnectsByPairing, Paired } from '../../connectors/contract/pairing.ts';
import type { Db } from '../../store/database/rows.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { handOverPaired } from './hand-over.ts';
import { pairedUserId } from './paired-connection.ts';
import { platformWords } from './platform-words.ts';
import { type Cause, settleConnection } from './settle-connection.ts';

const MAX_LABEL_LENGTH = 120;

export interface PairingToKeep {
  readonly platform: Platform;
  readonly pairing: ConnectsByPairing;
  readonly server: string;
  readonly cause: Cause;
  /** Throws when the account may not connect, or no longer. Runs in the transaction that stores the connection. */
  readonly check: (trx: Db) => Promise<void>;
}

/**
 * Stores a connection by pairing, hands it over and returns its id. Throws `connect_unknown`, `connection_differs`,
 * `cap_reached`, and what `check` throws.
 */
export async function keepPairing(
  deps: ConnectionDeps,
  { platform, pairing, server, cause, check }: PairingToKeep,
  { label, personId, credentials }: Paired,
): Promise<string> {
  const { accountId } = cause;
  const identity = {
    providerUserId: pairedUserId(accountId, server),
    label: cutText(platformWords([label]), MAX_LABEL_LENGTH) || server,
    email: null,
    person: personId === null ? null : { id: personId, login: 'connection' as const },
  };
  const grant = { platform, identity, credentials, expiresInS: null, scope: null };
  const { id } = await deps.store.db.transaction().execute(async (trx) => {
    await check(trx);
    return await settleConnection(deps, trx, cause, grant);
  });
  deps.wake(accountId);
  const connection = { id, accountId, server, label: identity.label, personId, credentials };
  handOverPaired(deps, platform, pairing, connection);
  return id;
}
