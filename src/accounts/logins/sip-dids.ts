import { GatewayError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { type PresetIds, SPEECH_KINDS } from '../../base/speech.ts';
import { countRows, type Db, deleteRows, findRow } from '../../store/database/rows.ts';
import {
  type DidChange,
  findRoutedDid,
  insertDid,
  type StoredDid,
  updateDid,
} from '../../store/logins/sip-dids.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import { joinDefaultAgent } from '../account/default-agent.ts';
import { requireVerifiedAddress } from '../people/verified-address.ts';
import { notifyNumberChanged, type SipAccounts, type SipSetup } from './sip-accounts.ts';

/** A number to list: E.164 with its `+`, or the digits of an extension or national number. */
export interface NewDid {
  readonly number: string;
  readonly label: string | null;
  readonly autoAnswer: boolean;
  readonly presets: PresetIds;
}

/**
 * Lists a number and adds it to the default agent. Throws `email_not_verified`, `too_many_numbers`, `number_taken`
 * when the account already lists it, or as `requirePresets`.
 */
export async function createSipDid(sip: SipSetup, actor: Actor, wanted: NewDid): Promise<StoredDid> {
  const { accountId } = actor;
  const createdAt = sip.clock.nowIso();
  await requireVerifiedAddress(sip.store.db, accountId);
  const did = { id: newId('did'), accountId, ...wanted, createdAt };
  const agentId = await sip.store.db.transaction().execute(async (trx) => {
    await requirePresets(trx, accountId, wanted.presets);
    const listed = await countRows(trx, 'sipDids', { accountId });
    if (!(await insertDid(trx, did))) throw new GatewayError('number_taken');
    if (listed >= sip.maxNumbers) {
      throw new GatewayError(
        'too_many_numbers',
        `An account may list at most ${sip.maxNumbers} phone numbers`,
      );
    }
    const member = { type: 'sip_number', id: did.id } as const;
    const agentId = await joinDefaultAgent(trx, accountId, member, createdAt);
    await audit(trx, actor, {
      action: 'sip_did.create',
      subject: did.id,
      detail: { ...wanted, agentId },
    });
    return agentId;
  });
  notifyNumberChanged(sip.directory, { ...did, agentId });
  return did;
}

/** Changes a listed number. Throws `did_not_found`, or as `requirePresets`. */
export async function changeSipDid(
  sip: SipAccounts,
  actor: Actor,
  didId: string,
  change: DidChange,
): Promise<StoredDid> {
  const did = await sip.store.db.transaction().execute(async (trx) => {
    await requirePresets(trx, actor.accountId, change.presets ?? {});
    const changed = await updateDid(trx, actor.accountId, didId, change);
    if (!changed) throw new GatewayError('did_not_found');
    await audit(trx, actor, { action: 'sip_did.change', subject: didId, detail: { ...change } });
    return changed;
  });
  const routed = await findRoutedDid(sip.store.db, didId);
  if (routed) notifyNumberChanged(sip.directory, routed);
  return did;
}

/** Deletes a number from the list and from every agent. A call on it continues. Throws `did_not_found`. */
export async function deleteSipDid(sip: SipAccounts, actor: Actor, didId: string): Promise<void> {
  await sip.store.db.transaction().execute(async (trx) => {
    const { accountId } = actor;
    if (!(await deleteRows(trx, 'sipDids', { accountId, id: didId })))
      throw new GatewayError('did_not_found');
    await deleteRows(trx, 'agentAccounts', { memberType: 'sip_number', memberId: didId });
    await audit(trx, actor, { action: 'sip_did.delete', subject: didId });
  });
  sip.directory.removeNumber(didId);
}

/** Throws `voice_config_not_found`, also for a preset of another account, or `voice_config_wrong_kind`. */
async function requirePresets(db: Db, accountId: string, presets: Partial<PresetIds>): Promise<void> {
  for (const kind of SPEECH_KINDS) {
    const id = presets[kind] ?? null;
    if (id === null) continue;
    const preset = await findRow(db, 'voiceConfigs', { accountId, id });
    if (preset === undefined) throw new GatewayError('voice_config_not_found');
    if (preset.kind !== kind) throw new GatewayError('voice_config_wrong_kind');
  }
}
