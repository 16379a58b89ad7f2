import { GatewayError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { ResolvedFile } from '../../files/resolve-attachments.ts';
import { findRow } from '../../store/database/rows.ts';
import type { Db } from '../../store/database/tables.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import { insertMessage, type Message, type NewMessage } from '../../store/messages/messages.ts';
import { ANSWER_MS } from './dm.ts';
import type { OutboundDomain } from './outbound-domain.ts';
import type { Outgoing, Settled } from './outbox.ts';
import type { RepeatableRequest } from './repeatable-request.ts';
import { addressOf } from './stored-message.ts';

/** A message before it is stored. */
export interface Draft {
  /** Null: the gateway itself writes. */
  readonly senderAgentId: string | null;
  readonly text: string;
  readonly files: readonly ResolvedFile[];
  /** See `Writer`. */
  readonly request: RepeatableRequest | null;
}

/** A message that is stored and on its way. */
export interface Written {
  readonly message: Message;
  readonly settled: Promise<Settled>;
}

/**
 * Stores a message to a person, then sends it within `withinMs`; a message with files is sent in the background.
 * Messages of one conversation go out in the order in which they were stored. Throws `no_conversation` when the
 * conversation or its platform account is gone, `too_many_messages`, `not_ready`.
 */
export async function writeMessage(
  domain: OutboundDomain,
  conversationId: string,
  draft: Draft,
  withinMs: number,
): Promise<Written> {
  domain.outbox.assertRoom(conversationId);
  const outgoing = await domain.store.db
    .transaction()
    .execute((trx) => storeMessage(trx, domain, conversationId, draft));
  // No await from here on: another message could overtake this one.
  const settled = setOff(domain, outgoing, withinMs);
  domain.wakeups.wake(outgoing.message.accountId);
  return { message: outgoing.message, settled };
}

/** Writes to a person in the gateway's own name. Resolves when the platform has accepted or refused the message. */
export async function writeNotice(
  domain: OutboundDomain,
  conversationId: string,
  text: string,
): Promise<{ readonly messageId: string; readonly settled: Settled }> {
  const draft = { senderAgentId: null, text, files: [], request: null };
  const { message, settled } = await writeMessage(domain, conversationId, draft, ANSWER_MS);
  return { messageId: message.id, settled: await settled };
}

function setOff({ windows, outbox }: OutboundDomain, outgoing: Outgoing, withinMs: number): Promise<Settled> {
  const { id, status } = outgoing.message;
  if (status === 'pending' && windows) return windows.joined(id);
  return outbox.deliver(outgoing, withinMs);
}

async function storeMessage(
  db: Db,
  domain: OutboundDomain,
  conversationId: string,
  draft: Draft,
): Promise<Outgoing> {
  const conversation = await findRow(db, 'conversations', { id: conversationId });
  const to = conversation && (await addressOf(db, conversation));
  if (!conversation || !to) throw new GatewayError('no_conversation');
  domain.outbox.assertRoomOf(conversation.accountId);
  const waits = domain.windows !== null && (await domain.windows.mustWait(db, conversation));
  const message = await insertMessage(
    db,
    {
      ...rowOf(conversation, draft),
      status: waits ? 'pending' : 'sending',
      expiresAt: waits ? domain.windows.expiry() : null,
    },
    domain.clock.nowIso(),
  );
  await draft.request?.note(db, message.id);
  const { id: messageId, text } = message;
  return { message, conversation, outbound: { messageId, to, text, attachments: draft.files } };
}

function rowOf(
  { id: conversationId, accountId }: Conversation,
  { senderAgentId, text, files }: Draft,
): Omit<NewMessage, 'status' | 'expiresAt'> {
  return {
    id: newId('msg'),
    accountId,
    conversationId,
    direction: 'outbound',
    senderAgentId,
    text,
    platformMessageIds: [],
    fileIds: files.map(({ fileId }) => fileId),
    background: files.length > 0 ? 'waiting' : null,
  };
}
