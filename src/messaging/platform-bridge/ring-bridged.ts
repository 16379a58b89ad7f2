import type { BridgedCalls } from '../../connectors/contract/bridged-calls.ts';
import { answeringAgent } from '../../store/agents/agent-members.ts';
import { receiversOf } from '../intake/receivers.ts';
import { resolved } from './bridge-address.ts';
import type { CallInvite } from './bridge-event.ts';
import type { PlatformBridge } from './platform-bridge.ts';

/** Lets a call ring at the agent of the account that receives the messages of its place. */
export async function ringBridged(
  { db }: PlatformBridge,
  calls: BridgedCalls,
  { platform, from, callRef, caller, target }: CallInvite,
): Promise<'ringing' | 'duplicate' | 'busy' | 'unknown_account'> {
  const place = await resolved(db, platform, from);
  const [receiver] = await receiversOf(db, platform, place, null);
  const agentId = receiver && (await answeringAgent(db, receiver.member));
  if (!agentId) return 'unknown_account';
  const { accountId } = receiver;
  const rung = calls.ring({ callRef, accountId, agentId, login: place.login, caller, target });
  return rung === 'known' ? 'duplicate' : rung;
}
