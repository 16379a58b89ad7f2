import { unreachable } from '../../base/assert.ts';
import { GatewayError, MAY_HAVE_ARRIVED } from '../../base/errors.ts';
import {
  type ActionEnd,
  abandonClaimed,
  claimAction,
  endAction,
  listActions,
} from '../../store/inline/delivery-actions.ts';
import type { ReplyAction } from '../reply/action.ts';
import { type ActionContext, Refused } from './action-context.ts';
import { accept, leave, refuse, say, sendDtmf } from './call-actions.ts';
import { dm, joinCall } from './reach-out.ts';
import { sendFile, write } from './write.ts';

/**
 * Carries out the actions of a stored reply in order. Each is claimed before and ended after. An action that an earlier
 * process had claimed is never repeated: it is unknown what has become of it.
 */
export async function carryOut(context: ActionContext): Promise<void> {
  const { turnId } = context;
  const { store, clock } = context.domain;
  const actions = await listActions(store.db, turnId);
  if (actions.some(({ status }) => status === 'claimed'))
    await abandonClaimed(store.db, turnId, 'The gateway stopped meanwhile', clock.nowIso());
  for (const action of actions.filter(({ status }) => status === 'planned')) {
    if (!(await claimAction(store.db, action, clock.nowIso()))) continue;
    const end = await endOf(context, action.detail as unknown as ReplyAction);
    await endAction(store.db, action, end, clock.nowIso());
  }
}

/** Carries out an action that was claimed. Never rejects: what has become of it is told, and others can follow. */
export async function endOf(context: ActionContext, action: ReplyAction): Promise<ActionEnd> {
  try {
    await perform(context, action);
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

async function perform(context: ActionContext, action: ReplyAction): Promise<void> {
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
