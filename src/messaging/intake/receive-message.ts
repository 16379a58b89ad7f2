import { keyOfLogin } from '../../base/address.ts';
import { withAttachmentStubs, withinFileLimit } from '../../base/attachment-stubs.ts';
import { TooManyAttempts } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { dayOf, pause } from '../../base/time.ts';
import type { InboundMessage, Intake } from '../../connectors/contract/messenger.ts';
import { changeRows, type Db } from '../../store/database/rows.ts';
import { type Conversation, heardFrom } from '../../store/messages/conversations.ts';
import { takeEarlyEdit } from '../../store/messages/early-edits.ts';
import {
  findPlatformMessage,
  insertMessage,
  type Message,
  newestOf,
  type Sender,
} from '../../store/messages/messages.ts';
import { openConversation } from '../../store/messages/spaces.ts';
import { unauthenticatedActor } from '../../store/people/audit-log.ts';
import { countUsage } from '../../store/people/usage.ts';
import { announceMessage } from '../inbox/announce.ts';
import { checkOwnerCode, ownBot } from '../owner/bot-owner.ts';
import { answeredBy } from './answered-message.ts';
import type { BotExchanges, Hearing } from './bot-exchanges.ts';
import { DELETED_TEXT } from './follow-remote.ts';
import type { IntakeDomain } from './intake-domain.ts';
import { pickedBy } from './picked-choice.ts';
import { conversationsAt, type Receiver, receiversOf } from './receivers.ts';
import { shownName } from './shown-name.ts';

/** Platforms wait this long for the answer to a webhook. */
const LONGEST_WAIT_MS = 5_000;

type Stored =
  | { readonly kind: 'duplicate' | 'unbound' | 'full' | 'flooded' }
  /** Too many messages arrive: this one may be stored after this time. */
  | { readonly kind: 'early'; readonly waitMs: number }
  | { readonly kind: 'unheard'; readonly conversation: Conversation; readonly isFirst: boolean }
  | { readonly kind: 'owned'; readonly conversation: Conversation }
  | { readonly kind: 'stored'; readonly conversation: Conversation; readonly message: Message };

/**
 * Stores a person's message with its files, event and usage in one transaction. A platform that repeats the message
 * because the acknowledgement got lost then finds it stored. Wakes the waiting requests. Throws TooManyAttempts when the
 * other side sends faster than anybody writes; it will send again.
 */
export async function receiveMessage(
  domain: IntakeDomain,
  bots: BotExchanges,
  inbound: InboundMessage,
): Promise<Intake> {
  const stored = await storeInTurn(domain, bots, inbound);
  if (stored.kind === 'owned') {
    domain.onOwned(stored.conversation.id);
    return 'stored';
  }
  if (stored.kind === 'flooded') domain.onFlooded(domain.platform);
  if (stored.kind === 'unheard')
    domain.onUnheard({ ...stored.conversation, platform: domain.platform }, stored.isFirst);
  if (stored.kind !== 'stored') return stored.kind;
  const { accountId, id: conversationId, spaceKind } = stored.conversation;
  domain.wakeups.wake(accountId);
  domain.queue?.flush(conversationId);
  const { id: messageId, seq: messageSeq } = stored.message;
  const { platform } = domain;
  domain.onReceived({ platform, accountId, conversationId, spaceKind, messageId, messageSeq });
  return 'stored';
}

/** The other side gets its answer late, and so sends more slowly. */
async function storeInTurn(
  domain: IntakeDomain,
  bots: BotExchanges,
  inbound: InboundMessage,
): Promise<Exclude<Stored, { readonly kind: 'early' }>> {
  const { db } = domain.store;
  const owner = await ownerOfTurn(db, domain.platform, inbound);
  if (owner === null) return { kind: 'unbound' };
  const work = () => db.transaction().execute((trx) => store(domain, bots, trx, inbound));
  for (let leftMs = LONGEST_WAIT_MS; ; ) {
    const result = await domain.arrivals.inTurn(owner, work);
    if (result.kind !== 'early') return result;
    if (result.waitMs > leftMs) throw new TooManyAttempts(result.waitMs / 1_000);
    leftMs -= result.waitMs;
    await pause(domain.clock, result.waitMs, new AbortController().signal);
  }
}

/** By whose turn a message is stored: of a login of their own, or of the account. Null: it is nobody's. */
async function ownerOfTurn(
  db: Db,
  platform: IntakeDomain['platform'],
  { from, alias }: InboundMessage,
): Promise<string | null> {
  if (from.login.kind !== 'shared') return from.login.id;
  const [receiver] = await receiversOf(db, platform, from, alias);
  return receiver?.accountId ?? null;
}

async function store(
  domain: IntakeDomain,
  bots: BotExchanges,
  trx: Db,
  inbound: InboundMessage,
): Promise<Stored> {
  const { platform, queue } = domain;
  const { from, alias } = inbound;
  const receivers = await receiversOf(trx, platform, from, alias);
  const [receiver] = receivers;
  if (!receiver) return { kind: 'unbound' };
  if (await isKnown(trx, receivers, inbound)) return { kind: 'duplicate' };
  const { quota } = domain.store;
  if (!quota.hasReserve(receiver.accountId)) return { kind: 'full' };
  const { login } = from;
  if (!domain.arrivals.admitsAccount(login, receiver.accountId, inbound.sentAt)) return { kind: 'flooded' };
  // On the shared login, people of all accounts would wait for those of one.
  const waitMs = login.kind === 'shared' ? 0 : quota.msUntilArrival(receiver.accountId);
  if (waitMs > 0) return { kind: 'early', waitMs };
  const shown = await showedCode(domain, trx, receiver, inbound);
  if (shown === 'repeated') return { kind: 'duplicate' };
  const conversation = await openWith(domain, trx, receiver, inbound);
  if (shown === 'code') return await own(domain, trx, conversation, inbound);
  const hearing = await hear(bots, trx, conversation, inbound);
  if (hearing !== 'heard') return { kind: 'unheard', conversation, isFirst: hearing === 'ended' };
  await heardFrom(trx, conversation.id, inbound.sentAt);
  const heldUntil = (await queue?.replied(trx, conversation.id, inbound.sentAt)) ?? null;
  const now = await asItIsNow(domain, trx, inbound);
  const message = await insertInbound(domain, trx, conversation, { message: now, heldUntil });
  if (heldUntil === null) await announceMessage(trx, conversation, message);
  const day = dayOf(message.createdAt);
  await countUsage(trx, { accountId: receiver.accountId, platform, day, messages: 1, bytes: 0 });
  return { kind: 'stored', conversation, message };
}

/** A message as it is after an edit that came before it. Of a deleted one, nothing is stored but that it was. */
async function asItIsNow(
  { clock, platform }: IntakeDomain,
  trx: Db,
  message: InboundMessage,
): Promise<InboundMessage> {
  const early = await takeEarlyEdit(trx, { platform, ...message }, clock.nowIso());
  if (early === undefined) return message;
  return early.text === null
    ? { ...message, text: DELETED_TEXT, files: [], replyTo: undefined }
    : { ...message, text: early.text };
}

async function hear(
  bots: BotExchanges,
  trx: Db,
  { id }: Conversation,
  { isFromBot = false }: InboundMessage,
): Promise<Hearing> {
  if (isFromBot) return bots.botWrote(id, (await newestOf(trx, id))?.direction === 'outbound');
  bots.personWrote(id);
  return 'heard';
}

/** Returns whether the message is the one-time code of the bot that received it. */
async function showedCode(
  { clock }: IntakeDomain,
  trx: Db,
  { member }: Receiver,
  { from: { space }, text, files }: InboundMessage,
): Promise<'code' | 'repeated' | 'none'> {
  // Everyone in a channel could read the code there.
  if (member.type !== 'bot_token' || space.kind !== 'direct' || files.length > 0) return 'none';
  return await checkOwnerCode(trx, { botId: member.id, remoteId: space.id, text }, clock.nowIso());
}

/** The code is meant for the gateway: it is not stored as a message, and agents never see it. */
async function own(
  { clock }: IntakeDomain,
  trx: Db,
  conversation: Conversation,
  { from: { space }, sentAt }: InboundMessage,
): Promise<Stored> {
  await heardFrom(trx, conversation.id, sentAt);
  const { botId } = await ownBot(
    trx,
    unauthenticatedActor(conversation.accountId),
    conversation,
    clock.nowIso(),
  );
  await changeRows(trx, 'ownerCodes', { botId }, { usedBy: space.id });
  return { kind: 'owned', conversation };
}

/** Checks every receiver: when a message is repeated, its first copy may have gone to another one. */
async function isKnown(
  trx: Db,
  receivers: readonly Receiver[],
  { from, alias, platformMessageId }: InboundMessage,
): Promise<boolean> {
  for (const { id } of await conversationsAt(trx, receivers, from, alias))
    if (await findPlatformMessage(trx, id, platformMessageId)) return true;
  return false;
}

async function openWith(
  { clock, platform }: IntakeDomain,
  trx: Db,
  { accountId, member, connection }: Receiver,
  { from, alias, remoteName }: InboundMessage,
): Promise<Conversation> {
  const { space, thread } = from;
  // A person who writes can be reached, and may have a new permanent id.
  if (connection && (connection.remoteId !== space.id || connection.status !== 'ok'))
    await changeRows(trx, 'connections', { id: member.id }, { remoteId: space.id, status: 'ok' });
  const remote = { accountId, platform, member, space, thread, alias, remoteName: shownName(remoteName) };
  return await openConversation(trx, remote, clock.nowIso());
}

async function insertInbound(
  { clock, platform, keepFiles }: IntakeDomain,
  trx: Db,
  conversation: Conversation,
  { message: inbound, heldUntil }: { readonly message: InboundMessage; readonly heldUntil: string | null },
): Promise<Message> {
  const { id: conversationId, accountId } = conversation;
  const { from, text, files, platformMessageId } = inbound;
  const loginKey = keyOfLogin(from.login);
  const limited = withinFileLimit(files);
  const kept = await keepFiles(trx, { accountId, platform, loginKey }, limited.kept);
  const message = {
    id: newId('msg'),
    accountId,
    conversationId,
    direction: 'inbound',
    senderAgentId: null,
    sender: senderOf(inbound),
    text: withAttachmentStubs(text, kept.tooLarge + limited.stubs),
    status: 'received',
    expiresAt: heldUntil,
    platformMessageIds: [platformMessageId],
    fileIds: kept.fileIds,
    replyTo: await answeredBy({ platform, keepFiles }, trx, conversation, inbound),
    choice: inbound.choice ?? (await pickedBy(trx, conversationId, text)),
  } as const;
  return await insertMessage(trx, message, clock.nowIso());
}

/** In a direct conversation the sender is the person whom it is with. */
function senderOf({ from: { space, person }, senderName }: InboundMessage): Sender | null {
  if (space.kind === 'direct' || person === null) return null;
  return { id: person, name: shownName(senderName) };
}
