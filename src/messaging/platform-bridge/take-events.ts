import { setImmediate } from 'node:timers/promises';
import { assert, unreachable } from '../../base/assert.ts';
import { unservedText } from '../../base/platform.ts';
import type { BridgedCalls } from '../../connectors/contract/bridged-calls.ts';
import type { MessageIntake } from '../../connectors/contract/messenger.ts';
import { answeringAgent } from '../../store/agents/agent-members.ts';
import { receiversOf } from '../intake/receivers.ts';
import { resolved } from './bridge-address.ts';
import type { BridgeEvent, CallEnded, CallInvite, EventResult } from './bridge-event.ts';
import { BRIDGE_HOLDER, type PlatformBridge } from './platform-bridge.ts';

const NOT_CARRIED = 'The bridge does not carry this platform (SVC_BRIDGE_PLATFORMS)';

const NO_FILES = 'The gateway takes no files on this platform';

type OfMessages = Exclude<BridgeEvent, CallInvite | CallEnded>;

/**
 * Applies events in their order and returns what became of each. What is reported as done is on disk. Rejects when the
 * database fails; the events before that are known when they are told again. Throws `too_many_waiters` when too many
 * batches are under way.
 */
export async function takeEvents(
  bridge: PlatformBridge,
  events: readonly BridgeEvent[],
): Promise<EventResult[]> {
  bridge.batches.assertRoom(BRIDGE_HOLDER);
  const leave = bridge.batches.take(BRIDGE_HOLDER);
  try {
    const results: EventResult[] = [];
    for (const event of events) {
      results.push(await takeEvent(bridge, event));
      // SQLite answers synchronously, so a batch would otherwise be one iteration of the event loop.
      await setImmediate();
    }
    return results;
  } finally {
    leave();
  }
}

async function takeEvent(bridge: PlatformBridge, event: BridgeEvent): Promise<EventResult> {
  if (event.type === 'call_invite' || event.type === 'call_ended') return await takeCall(bridge, event);
  const { platform } = event;
  const intake = bridge.intakes.get(platform);
  if (!intake) return { status: 'not_served', reason: unservedText(platform) };
  if (event.type === 'dm' && event.message.files.length > 0) {
    if (!bridge.carried.has(platform)) return { status: 'not_served', reason: NOT_CARRIED };
    if (!bridge.traits[platform].files) return { status: 'not_served', reason: NO_FILES };
  }
  const from = await resolved(bridge.db, platform, event.from);
  return { status: await takeMessage(intake, { ...event, from }) };
}

async function takeCall(bridge: PlatformBridge, event: CallInvite | CallEnded): Promise<EventResult> {
  const calls = bridge.carried.get(event.platform);
  if (!calls) return { status: 'not_served', reason: NOT_CARRIED };
  if (event.type === 'call_invite') return { status: await ringBridged(bridge, calls, event) };
  return { status: calls.ended(event.callRef, event.reason) ? 'done' : 'unknown_call' };
}

/** Lets a call ring at the agent of the account that receives the messages of its place. */
async function ringBridged(
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

async function takeMessage(
  intake: MessageIntake,
  event: OfMessages,
): Promise<
  'stored' | 'duplicate' | 'unknown_account' | 'account_full' | 'flooded' | 'done' | 'unknown_token'
> {
  const { from } = event;
  switch (event.type) {
    case 'dm': {
      const kept = await intake.received({ ...event.message, from, alias: null });
      if (kept === 'unbound') return 'unknown_account';
      if (kept === 'full') return 'account_full';
      // A bridge tells of people only.
      assert(kept !== 'unheard', 'a person is heard');
      return kept;
    }
    case 'edit':
      await intake.edited(from, event.messageId, event.text);
      return 'done';
    case 'delete':
      await intake.edited(from, event.messageId, null);
      return 'done';
    case 'reaction':
      await intake.reacted(from, event.reaction);
      return 'done';
    case 'reachability':
      await intake.reachable(from, event.isReachable);
      return 'done';
    case 'link':
      return (await intake.bind(from, event.name, event.token)) ? 'done' : 'unknown_token';
    default:
      return unreachable(event);
  }
}
