import { unreachable } from '../../base/assert.ts';
import { GatewayError, MAY_HAVE_ARRIVED } from '../../base/errors.ts';
import { match } from '../../base/match.ts';
import { sendChat } from '../../calls/chat.ts';
import { ENABLED_PRESETS } from '../../calls/choose-presets.ts';
import { placeCall } from '../../calls/place-call.ts';
import type { AttachmentSource } from '../../files/resolve-attachments.ts';
import { sendDm } from '../../messaging/outbox/send-dm.ts';
import { findAgent } from '../../store/agents/agents.ts';
import { listRows } from '../../store/database/rows.ts';
import {
  type ActionEnd,
  abandonClaimed,
  claimAction,
  endAction,
  type StoredAction,
} from '../../store/inline/delivery-actions.ts';
import { findConversation } from '../../store/messages/conversations.ts';
import type { CallJoinAction, DmAction, FileAction, PlacedAction, ReplyAction } from '../reply/action.ts';
import { type ActionContext, type OneAction, Refused, writerOf } from './action-context.ts';
import { accept, leave, refuse, say, sendDtmf } from './call-actions.ts';
import { requireCallable, requireWritable } from './policy.ts';

/** Why it is unknown what has become of an action that an earlier process had begun. */
const STOPPED = 'The gateway stopped meanwhile';

/** How long files of a call's chat may take to be fetched. */
const FILES_MS = 25_000;

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
  return await match(action, 'kind', {
    write: (action) => write(context, action.text, []),
    say: (action) => say(context, action.text),
    file: (action) => write(context, action.caption, [attachmentOf(action.source)]),
    accept: () => accept(context),
    refuse: () => refuse(context),
    leave: () => leave(context),
    dtmf: (action) => sendDtmf(context, action.digits),
    dm: (action) => dm(context, action),
    call_join: (action) => joinCall(context, action),
  });
}

/** Writes to the conversation of the turn, or to the chat of its call. */
async function write(
  context: OneAction,
  text: string,
  attachments: readonly AttachmentSource[],
): Promise<void> {
  const { domain, scope, place } = context;
  if (place.kind === 'test') throw new Refused('A test has no conversation');
  if (place.kind === 'call') {
    const resolve = () =>
      domain.outbound.resolveFiles(scope.accountId, attachments, AbortSignal.timeout(FILES_MS));
    const files = attachments.length === 0 ? null : resolve;
    return await sendChat(domain.calls, scope, place.callId, { text, senderName: '', files });
  }
  const { platform, conversationId } = place;
  const request = { platform, text, keepTyping: false, attachments, conversationId, peer: '', task: '' };
  await sendDm(domain.outbound, writerOf(context), request);
}

/** Web addresses are checked when they are fetched; here only that nobody can read the file on its way. */
function attachmentOf(source: FileAction['source']): AttachmentSource {
  if ('fileId' in source) return source;
  if ('text' in source) return { bytes: Buffer.from(source.text), name: source.name, mime: null };
  if (!source.url.startsWith('https://')) throw new Refused('Files are fetched only from https addresses');
  return { url: source.url, name: null, mime: null };
}

/** Writes to somebody else than the turn's conversation, through the agent's own accounts. */
async function dm(context: OneAction, action: DmAction): Promise<void> {
  const { platform, to, text } = action;
  const isAgent = platform === 'agent';
  await requireWritable(context, action);
  requireRoom(context);
  if (!isAgent) await requireAccount(context, action);
  const receiver = isAgent ? { conversationId: null, peer: to } : { conversationId: to, peer: '' };
  const request = { platform, text, keepTyping: false, attachments: [], task: '', ...receiver };
  await sendDm(context.domain.outbound, writerOf(context), request);
}

/** Places a call with one of the agent's own accounts. */
async function joinCall(
  context: ActionContext,
  { platform, url, accountId: loginId }: CallJoinAction,
): Promise<void> {
  const meetingUrl = await requireCallable(context, url);
  requireRoom(context);
  const { domain, scope } = context;
  const agent = await findAgent(domain.store.db, scope.accountId, scope.agentIds[0]!);
  if (!agent) throw new Refused('The agent was deleted');
  const request = { platform, meetingUrl, dtmf: '', agentName: agent.name, loginId };
  await placeCall(domain.calls, scope, { ...request, presets: ENABLED_PRESETS });
}

function requireRoom({ domain, scope }: ActionContext): void {
  if (!domain.reach.take(scope.agentIds[0]!))
    throw new Refused('A model may write to others or place calls 10 times a minute');
}

/** A conversation belongs to one account, so an account that is named can only be that one. */
async function requireAccount({ domain, scope }: ActionContext, { to, accountId }: DmAction): Promise<void> {
  if (accountId === null) return;
  const conversation = await findConversation(domain.store.db, scope, to);
  if (conversation && conversation.memberId !== accountId)
    throw new Refused(`The conversation does not belong to the account ${accountId}`);
}
