import { unreachable } from '../../base/assert.ts';
import { GatewayError, MAY_HAVE_ARRIVED } from '../../base/errors.ts';
import { listRows } from '../../store/database/rows.ts';
import {
  type ActionEnd,
  abandonClaimed,
  claimAction,
  endAction,
  type StoredAction,
} from '../../store/inline/delivery-actions.ts';
import type { PlacedAction, ReplyAction } from '../reply/action.ts';
import { type ActionContext, Refused } from './action-context.ts';
import { accept, leave, refuse, say, sendDtmf } from './call-actions.ts';
import { dm, joinCall } from './reach-out.ts';
import { sendFile, write } from './write.ts';

/** Why it is unknown what has become of an action that an earlier process had begun. */
const STOPPED = 'The gateway stopped meanwhile';

/**
 * Carries out the actions of a stored reply in order. Each is claimed before and ended after. Of those that an earlier
 * process had claimed, only direct messages are carried out again, since they find what was written; of any other it is
 * unknown what has become of it.
 */
export async function carryOut(context: ActionContext): Promise<void> {
  const { store, clock } = context.domain;
  for (const action of await listRows(store.db, 'deliveryActions', { deliveryId: context.turnId }, [
    'position',
  ])) {
    const end = await outcomeOf(context, action);
    if (end !== null) await endAction(store.db, action, end, clock.nowIso());
  }
}

/** Returns null for an action that has ended or is gone. */
async function outcomeOf(context: ActionContext, stored: StoredAction): Promise<ActionEnd | null> {
  const { store, clock } = context.domain;
  const placed = { index: stored.position, action: stored.detail as unknown as ReplyAction };
  switch (stored.status) {
    case 'claimed':
      return writesDm(context, placed)
        ? await endOf(context, placed)
        : { status: 'unknown', reason: STOPPED };
    case 'planned':
      return (await claimAction(store.db, stored, clock.nowIso())) ? await endOf(context, placed) : null;
    case 'done':
    case 'refused':
    case 'failed':
    case 'unknown':
      return null;
    default:
      return unreachable(stored.status);
  }
}

function writesDm({ place }: ActionContext, { action: { kind } }: PlacedAction): boolean {
  return kind === 'dm' || (place.kind === 'conversation' && (kind === 'write' || kind === 'file'));
}

/** Ends what an earlier process had begun for a turn that fails: sentences that may have been spoken. */
export async function abandonActions({ domain: { store, clock }, turnId }: ActionContext): Promise<void> {
  await abandonClaimed(store.db, turnId, STOPPED, clock.nowIso());
}

/** Carries out an action that was claimed. Never rejects: what has become of it is told, and others can follow. */
export async function endOf(context: ActionContext, { index, action }: PlacedAction): Promise<ActionEnd> {
  try {
    await perform(context, index, action);
    return { status: 'done', reason: null };
  } catch (error) {
    if (error instanceof Refused) return { status: 'refused', reason: error.message };
    if (error instanceof GatewayError) {
      const status = error.message.endsWith(MAY_HAVE_ARRIVED) ? 'unknown' : 'failed';
      return { status, reason: error.message };
    }
    context.domain.observer.workFailed(`the action ${action.kind} of a model`, error);
    return { status: 'unknown', reason: 'An internal error' };
  }
}

async function perform(turn: ActionContext, position: number, action: ReplyAction): Promise<void> {
  const context = { ...turn, position };
  if (context.place.kind === 'test') throw new Refused('A test carries out nothing');
  switch (action.kind) {
    case 'write':
      return await write(context, action.text);
    case 'say':
      return say(context, action.text);
    case 'file':
      return await sendFile(context, action);
    case 'accept':
      return await accept(context);
    case 'refuse':
      return refuse(context);
    case 'leave':
      return await leave(context);
    case 'dtmf':
      return await sendDtmf(context, action.digits);
    case 'dm':
      return await dm(context, action);
    case 'call_join':
      return await joinCall(context, action);
    default:
      return unreachable(action);
  }
}
