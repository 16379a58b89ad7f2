import { unreachable } from '../../base/assert.ts';
import type { Platform } from '../../base/platform.ts';
import type { LaterStatus, LoginRef, SentMessage } from '../../connectors/contract/messenger.ts';
import type { Db } from '../../store/database/tables.ts';
import {
  addPlatformMessageIds,
  changeMessageStatus,
  findNamelessMessage,
  findSentMessages,
  type Message,
} from '../../store/messages/messages.ts';
import type { IntakeDomain } from '../intake/intake-domain.ts';
import { announceEnd } from './announce-end.ts';

type Followed = 'not_yet' | 'done' | { readonly waitAgain: readonly Message[]; readonly changed: Message[] };

interface SentReport {
  readonly sent: SentMessage;
  readonly status: LaterStatus;
}

/**
 * Applies a platform's later report about a sent message. Returns false when the message is still being sent and its
 * outcome is not stored yet. Ignores messages that the gateway did not send.
 */
export async function followSent(
  domain: IntakeDomain,
  platform: Platform,
  login: LoginRef,
  { sent, status }: SentReport,
): Promise<boolean> {
  const followed = await domain.store.db.transaction().execute(async (trx): Promise<Followed> => {
    const messages = await findFollowed(trx, platform, login, sent);
    if (messages.length === 0) return 'done';
    if (messages.some((message) => message.status === 'sending')) return 'not_yet';
    if (status.kind === 'window_closed') return { waitAgain: messages, changed: [] };
    const changed: Message[] = [];
    for (const message of messages) if (await change(domain, trx, message, status)) changed.push(message);
    return { waitAgain: [], changed };
  });
  if (followed === 'not_yet') return false;
  if (followed === 'done') return true;
  for (const { accountId } of followed.changed) domain.wakeups.wake(accountId);
  for (const { id } of followed.waitAgain) await domain.holds.get(platform)?.cameBack(id);
  return true;
}

/**
 * Finds messages by the platform's id. If that id was never learned because the platform's answer got lost, finds the
 * message by our id and records the platform's id.
 */
async function findFollowed(
  trx: Db,
  platform: Platform,
  login: LoginRef,
  { platformMessageId, messageId }: SentMessage,
): Promise<Message[]> {
  const botId = login.kind === 'bot_token' ? login.id : null;
  const named = await findSentMessages(trx, platform, botId, platformMessageId);
  if (named.length > 0 || messageId === null) return named;
  const nameless = await findNamelessMessage(trx, platform, botId, messageId);
  if (!nameless) return [];
  if (nameless.status !== 'sending') await addPlatformMessageIds(trx, nameless, [platformMessageId]);
  return [nameless];
}

/** Returns whether the message's status changed. */
async function change(
  { clock }: IntakeDomain,
  trx: Db,
  message: Message,
  status: Exclude<LaterStatus, { kind: 'window_closed' }>,
): Promise<boolean> {
  const nowIso = clock.nowIso();
  switch (status.kind) {
    case 'delivered':
      return await deliver(trx, message, nowIso);
    case 'failed':
      return await fail(trx, message, status.reason, nowIso);
    default:
      return unreachable(status);
  }
}

/** The message was `unknown`; now it is known to have arrived. */
async function deliver(trx: Db, message: Message, nowIso: string): Promise<boolean> {
  const change = { status: 'delivered', error: null } as const;
  const isChanged = await changeMessageStatus(trx, message.seq, { from: ['unknown'], change }, nowIso);
  if (isChanged && message.background !== null) await announceEnd(trx, message, change, nowIso);
  return isChanged;
}

/** The agent was told that its message was delivered; a `dm_failed` event corrects this. */
async function fail(trx: Db, message: Message, reason: string, nowIso: string): Promise<boolean> {
  const change = { status: 'failed', error: reason } as const;
  const isChanged = await changeMessageStatus(
    trx,
    message.seq,
    { from: ['delivered', 'unknown'], change },
    nowIso,
  );
  if (isChanged) await announceEnd(trx, message, change, nowIso);
  return isChanged;
}
