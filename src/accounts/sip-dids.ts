import { ensureDefaultAgent } from '../agents/default-agent.ts';
import { GatewayError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { attachMember, detachMemberEverywhere } from '../store/agents.ts';
import {
  type DidChange,
  deleteDid,
  findRoutedDid,
  insertDid,
  listDids,
  type StoredDid,
  updateDid,
} from '../store/sip-dids.ts';
import { type SipAccounts, tellNumber } from './sip-accounts.ts';

/** A number on the account's list. */
export type ListedDid = StoredDid;

/** A number to list, in E.164 with the plus. */
export interface NewDid {
  readonly number: string;
  readonly label: string | null;
  readonly autoAnswer: boolean;
}

/** Lists a number and gives it to the default agent. Throws `number_taken`: a number has one account. */
export async function createSipDid(sip: SipAccounts, accountId: string, wanted: NewDid): Promise<ListedDid> {
  const createdAt = sip.clock.nowIso();
  const did = { id: newId('did'), accountId, ...wanted, createdAt };
  const agentId = await sip.store.db.transaction().execute(async (trx) => {
    if (!(await insertDid(trx, did))) throw new GatewayError('number_taken');
    const agent = await ensureDefaultAgent(trx, accountId, createdAt);
    await attachMember(trx, agent.id, { type: 'sip_number', id: did.id });
    return agent.id;
  });
  tellNumber(sip.directory, { ...did, agentId });
  return did;
}

/** The account's numbers in the order in which they were listed. */
export async function listSipDids(sip: SipAccounts, accountId: string): Promise<ListedDid[]> {
  return await listDids(sip.store.db, accountId);
}

/** Throws `did_not_found`. */
export async function changeSipDid(
  sip: SipAccounts,
  accountId: string,
  didId: string,
  change: DidChange,
): Promise<ListedDid> {
  const did = await updateDid(sip.store.db, accountId, didId, change);
  if (!did) throw new GatewayError('did_not_found');
  const routed = await findRoutedDid(sip.store.db, didId);
  if (routed) tellNumber(sip.directory, routed);
  return did;
}

/** Takes the number off the list and out of every agent; a call on it goes on. Throws `did_not_found`. */
export async function deleteSipDid(sip: SipAccounts, accountId: string, didId: string): Promise<void> {
  await sip.store.db.transaction().execute(async (trx) => {
    if (!(await deleteDid(trx, accountId, didId))) throw new GatewayError('did_not_found');
    await detachMemberEverywhere(trx, { type: 'sip_number', id: didId });
  });
  sip.directory.removeNumber(didId);
}
