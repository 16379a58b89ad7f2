import type { Address } from '../../base/address.ts';
import { assert } from '../../base/assert.ts';
import { GatewayError, TooManyAttempts } from '../../base/errors.ts';
import { BRIDGED_CHAT_PLATFORM, unservedText } from '../../base/platform.ts';
import type { AwaitedReply, MessageIntake, SendOutcome } from '../../connectors/contract/messenger.ts';
import type { ReplyEnd } from '../../connectors/contract/webhooks.ts';
import { receiversOf } from '../intake/receivers.ts';
import { addressOfUser } from './bridge-address.ts';
import type { PlatformBridge } from './platform-bridge.ts';

/** Specification, "Limits": Teams DM sync reply wait. */
const REPLY_WAIT_MS = 10_000;

/** A direct message of a person who has connected their account of the platform. */
export interface ChatMessage {
  /** As in RemoteIdentity. */
  readonly providerUserId: string;
  readonly senderName: string | null;
  readonly platformMessageId: string;
  readonly text: string;
  readonly sentAt: string;
}

export interface Chatted {
  readonly status: 'stored' | 'duplicate';
  /** Null: the agent has not written in time, and a later message is sent. */
  readonly reply: ChatReply | null;
}

/** The agent's next message, which the answer of the request brings. */
export interface ChatReply {
  readonly messageId: string;
  readonly text: string;
  /** Reports what became of the answer. */
  readonly ended: (end: ReplyEnd) => void;
}

/**
 * Stores a direct message and waits for the agent's reply. Throws `too_many_waiters` before anything is stored,
 * `connection_not_found` when the sender has not connected an account, and `platform_not_configured` when nothing can
 * carry later replies.
 */
export async function chat(
  bridge: PlatformBridge,
  message: ChatMessage,
  gone: AbortSignal,
): Promise<Chatted> {
  const { db } = bridge;
  const intake = bridge.intakes.get(BRIDGED_CHAT_PLATFORM);
  if (!intake) throw new GatewayError('platform_not_configured', unservedText(BRIDGED_CHAT_PLATFORM));
  const from = await addressOfUser(db, BRIDGED_CHAT_PLATFORM, message.providerUserId);
  const [receiver] = from === null ? [] : await receiversOf(db, BRIDGED_CHAT_PLATFORM, from, null);
  if (from === null || !receiver) throw new GatewayError('connection_not_found');
  const leave = bridge.waits.takeNow(receiver.accountId);
  if (leave === null) throw new GatewayError('too_many_waiters', 'Too many requests wait for this account');
  try {
    return await storeAndWait(bridge, { intake, from }, message, gone);
  } finally {
    leave();
  }
}

async function storeAndWait(
  bridge: PlatformBridge,
  { intake, from }: { readonly intake: MessageIntake; readonly from: Address },
  message: ChatMessage,
  gone: AbortSignal,
): Promise<Chatted> {
  const endMs = bridge.clock.monotonicMs() + REPLY_WAIT_MS;
  const status = await store(intake, from, message);
  // A repetition has been answered, or its reply is sent.
  if (status === 'duplicate') return { status, reply: null };
  const awaited = await intake.awaitReply(from, endMs - bridge.clock.monotonicMs(), gone);
  return { status, reply: awaited && replyOf(bridge, awaited) };
}

async function store(
  intake: MessageIntake,
  from: Address,
  { senderName, platformMessageId, text, sentAt }: ChatMessage,
): Promise<Chatted['status']> {
  const kept = await intake.received({
    from,
    alias: null,
    remoteName: senderName,
    senderName: null,
    platformMessageId,
    text,
    sentAt,
    files: [],
  });
  if (kept === 'unbound') throw new GatewayError('connection_not_found');
  if (kept === 'full') throw new GatewayError('storage_full', 'The account is full');
  if (kept === 'flooded') throw new TooManyAttempts(1, 'This person writes too fast');
  assert(kept !== 'unheard', 'a bridge tells of people only');
  return kept;
}

function replyOf(bridge: PlatformBridge, { message, settle }: AwaitedReply): ChatReply {
  const { messageId, text } = message;
  return { messageId, text, ended: (end) => settle(outcomeOf(bridge, end)) };
}

/** Null: the message is sent in the usual way. A bridge that may have it is not told twice, unless it drops the copy. */
function outcomeOf({ messengers }: PlatformBridge, end: ReplyEnd): SendOutcome | null {
  if (end === 'written') return { kind: 'sent', platformMessageIds: [] };
  const drops = (messengers.get(BRIDGED_CHAT_PLATFORM)?.dropsDuplicatesForMs ?? 0) > 0;
  if (end === 'unwritten' || drops) return null;
  return { kind: 'unknown', reason: 'The bridge disconnected while it read the reply', sentIds: [] };
}
