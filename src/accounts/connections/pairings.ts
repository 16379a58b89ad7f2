import { GatewayError } from '../../base/errors.ts';
import type { Platform } from '../../base/platform.ts';
import { hashToken } from '../../base/tokens.ts';
import type { ConnectsByPairing, Pairings, PendingPairing } from '../../connectors/contract/pairing.ts';
import type { Db } from '../../store/database/tables.ts';
import { type PendingConnection, takeConnectionState } from '../../store/logins/connection-states.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { requireStillAllowed } from './connection-state.ts';
import { keepStatus } from './connection-status.ts';
import { keepPairing } from './keep-pairing.ts';

/** A pairing in progress, with the server that was agreed on. */
type Agreed = PendingConnection & { readonly server: string };

/** Returns what a platform's connector gets for its pairings. */
export function pairingsOf(deps: ConnectionDeps, platform: Platform, pairing: ConnectsByPairing): Pairings {
  return {
    take: async (state) => {
      const agreed = await takeAgreed(deps, platform, state);
      return agreed && pendingPairing(deps, platform, pairing, agreed);
    },
    report: (connectionId, status) => void keepStatus(deps, platform, connectionId, status),
  };
}

async function takeAgreed(
  { store: { db, secrets }, clock }: ConnectionDeps,
  platform: Platform,
  state: string,
): Promise<Agreed | null> {
  const pending = await takeConnectionState(db, secrets, hashToken(state), clock.nowIso());
  if (pending?.provider !== platform || pending.server === null) return null;
  return (await isStillAllowed(db, pending)) ? { ...pending, server: pending.server } : null;
}

async function isStillAllowed(db: Db, pending: PendingConnection): Promise<boolean> {
  try {
    await requireStillAllowed(db, pending);
    return true;
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}

function pendingPairing(
  deps: ConnectionDeps,
  platform: Platform,
  pairing: ConnectsByPairing,
  agreed: Agreed,
): PendingPairing {
  const { server, accountId } = agreed;
  return {
    server,
    accountId,
    settle: async (paired) => {
      // The credential or the address may have been revoked while the server was asked.
      const check = (trx: Db) => requireStillAllowed(trx, agreed);
      return await keepPairing(deps, { platform, pairing, server, cause: agreed, check }, paired);
    },
  };
}
