import type { Platform } from '../../base/platform.ts';
import { agentsOfMember } from '../../store/agents/agent-members.ts';
import type { Db } from '../../store/database/tables.ts';
import type { StoredConnection } from '../../store/logins/connections.ts';
import { changeConnectionStatus, findLoginConnection } from '../../store/logins/login-connections.ts';
import { appendCopies } from '../../store/messages/events.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { platformWords } from './platform-words.ts';

/** Status of a connection that works. */
export const CONNECTED = 'ok';

type StatusDeps = Pick<ConnectionDeps, 'store' | 'clock' | 'wake' | 'onFailure'>;

/**
 * Stores the status of a platform's connection and announces it, if it has changed. Does nothing when the connection is
 * gone or belongs to another platform. Never rejects.
 */
export async function keepStatus(
  deps: StatusDeps,
  platform: Platform,
  connectionId: string,
  status: string,
): Promise<void> {
  try {
    const nowIso = deps.clock.nowIso();
    const connection = await deps.store.db.transaction().execute(async (trx) => {
      if (!(await findLoginConnection(trx, platform, connectionId))) return undefined;
      const text = platformWords([status]) || 'unknown';
      const changed = await changeConnectionStatus(trx, connectionId, text, nowIso);
      if (changed) await announceStatus(trx, changed, nowIso);
      return changed;
    });
    if (connection) deps.wake(connection.accountId);
  } catch (error) {
    deps.onFailure(platform, 'the status of a connection could not be stored', `${error}`);
  }
}

/** Appends a `connection_status` event for each agent that has the connection. Call it in a transaction. */
export async function announceStatus(
  trx: Db,
  {
    id,
    accountId,
    provider,
    label,
    status,
  }: Pick<StoredConnection, 'id' | 'accountId' | 'provider' | 'label' | 'status'>,
  createdAt: string,
): Promise<void> {
  const platform = provider as Platform;
  const payload = { connection_id: id, platform, label, status };
  const event = { accountId, platform, type: 'connection_status', payload, createdAt };
  await appendCopies(trx, event, await agentsOfMember(trx, { type: 'connection', id }));
}
