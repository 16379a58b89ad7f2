import { GatewayError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { ResolvedFile } from '../../files/resolve-attachments.ts';
import { type Db, findRow } from '../../store/database/rows.ts';
import type { ReplyTo } from '../../store/messages/message-tables.ts';
import { insertMessage, type Message } from '../../store/messages/messages.ts';
import { ANSWER_MS } from './dm-request.ts';
import type { OutboundDomain, RepeatableRequest } from './outbound-domain.ts';
import type { Outgoing, Settled } from './outbox.ts';
import { addressOf, contentFor } from './stored-message.ts';

/** A message before it is stored. */
export interface Draft {
  /** Null: the gateway itself writes. */
  readonly senderAgentId: string | null;
  readonly text: string;
  readonly files: readonly ResolvedFile[];
  readonly replyTo?: ReplyTo | null;
  readonly choices?: readonly string[] | null;
  /** See `Writer`. */
  readonly request: RepeatableRequest | null;
}

/** A message that is stored and on its way. */
export interface Written {
  readonly message: Message;
  readonly settled: Promise<Settled>;
}

/**
 * Stores the parts of a message to a person, then sends them within `withinMs`; several parts, and those with files, are sent in
 * the background. Messages of one conversation go out in the order in which they were stored. Throws `no_conversation` when the
 * conversation or its platform account is gone, `too_many_messages`, `not_ready`.
 */
export async function writeMessages(
  domain: OutboundDomain,
  conversationId: string,
  drafts: readonly Draft[],
  withinMs: number,
): Promise<readonly Written[]> {
  domain.outbox.assertRoom(conversationId);
  const stored = await domain.store.db.transaction().execute(async (trx) => {
    const outgoing: Outgoing[] = [];
    for (const draft of drafts) {
      const part = drafts.length > 1 ? { firstId: outgoing[0]?.message.id ?? null } : null;
      outgoing.push(await storeMessage(trx, domain, conversationId, { ...draft, part }));
    }
    return outgoing;
  });
  // No await from here on: another message could overtake this one.
  const written = stored.map((outgoing) => {
    const { message } = outgoing;
    const waits = message.status === 'pending' ? domain.windows : null;
    const settled = waits ? waits.joined(message.id) : domain.outbox.deliver(outgoing, withinMs);
    return { message, settled };
  });
  domain.wakeups.wake(stored[0]!.message.accountId);
  return written;
}

/** Writes one message. See `writeMessages`. */
export async function writeMessage(
  domain: OutboundDomain,
  conversationId: string,
  draft: Draft,
  withinMs: number,
): Promise<Written> {
  const [written] = await writeMessages(domain, conversationId, [draft], withinMs);
  return written!;
}

async function storeMessage(
  db: Db,
  domain: OutboundDomain,
  conversationId: string,
  draft: Draft & { readonly part: { readonly firstId: string | null } | null },
): Promise<Outgoing> {
  const conversation = await findRow(db, 'conversations', { id: conversationId });
  const to = conversation && (await addressOf(db, conversation));
  if (!conversation || !to) throw new GatewayError('no_conversation');
  domain.outbox.assertRoomOf(conversation.accountId);
  const waits = domain.windows !== null && (await domain.windows.mustWait(db, conversation));
  const { senderAgentId, text, files, part, replyTo = null, choices = null } = draft;
  const row = {
    id: newId('msg'),
    accountId: conversation.accountId,
    conversationId,
    direction: 'outbound',
    senderAgentId,
    text,
    status: waits ? 'pending' : 'sending',
    expiresAt: waits ? domain.windows.expiry() : null,
    platformMessageIds: [],
    fileIds: files.map(({ fileId }) => fileId),
    background: files.length > 0 || part ? 'waiting' : null,
    replyTo,
    choices,
    partOf: part?.firstId ?? null,
  } as const;
  const message = await insertMessage(db, row, domain.clock.nowIso());
  if (!part?.firstId) await draft.request?.note(db, message.id);
  const content = await contentFor(db, domain.messengers.get(conversation.platform), message);
  return { message, conversation, outbound: { messageId: message.id, to, attachments: files, ...content } };
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
