import { GatewayError } from '../../base/errors.ts';
import { foldCase } from '../../base/fold-case.ts';
import { newId } from '../../base/ids.ts';
import { type AgentScope, reaches } from '../../base/scope.ts';
import type { ResolvedFile } from '../../files/resolve-attachments.ts';
import { listAgents } from '../../store/agents/agents.ts';
import { type Db, listRows } from '../../store/database/rows.ts';
import { findProbeConversation, openAgentConversation } from '../../store/messages/agent-conversations.ts';
import { type Conversation, findNewestConversation } from '../../store/messages/conversations.ts';
import { insertMessage } from '../../store/messages/messages.ts';
import { announceMessage } from '../inbox/announce.ts';
import { GATEWAY } from '../inbox/inbox-view.ts';
import { activeConversation, type DmRequest, filesToSend } from './dm-request.ts';
import type { OutboundDomain, Writer } from './outbound-domain.ts';
import type { SentDm } from './sent-dm.ts';

/** Sender, recipient and subject of a message between two agents of one account. */
interface Parties {
  readonly senderId: string;
  readonly peerId: string;
  readonly task: string;
}

/**
 * Writes from one agent to another of the same account. The message counts as delivered once it is stored. Without a
 * peer, it continues the newest conversation of the credential's agents. Throws `no_conversation`, `agent_not_found`.
 */
export async function writeToAgent(
  domain: OutboundDomain,
  writer: Writer,
  request: DmRequest,
): Promise<SentDm> {
  const { accountId } = writer.scope;
  const files = await filesToSend(domain, accountId, request.attachments);
  const { messageId, parties } = await domain.store.db.transaction().execute(async (trx) => {
    const between = await partiesOf(trx, writer.scope, request);
    const id = await storeMessage(trx, domain, writer, { parties: between, text: request.text, files });
    return { messageId: id, parties: between };
  });
  if (isProbe(parties)) domain.onProbeAnswered(writer.credentialId, parties.task);
  domain.wakeups.wake(accountId);
  return { kind: 'delivered', messageIds: [messageId] };
}

function isProbe({ senderId, peerId }: Parties): boolean {
  return senderId === peerId;
}

async function partiesOf(db: Db, scope: AgentScope, request: DmRequest): Promise<Parties> {
  const { peer, task, conversationId } = request;
  if (!reaches(scope, 'agent')) throw new GatewayError('no_conversation');
  if (conversationId !== null)
    return await partiesIn(db, scope, await activeConversation(db, scope, request));
  if (peer !== '') return await partiesNamed(db, scope, peer, task);
  const newest = await findNewestConversation(db, scope, { platform: 'agent', peer: { peer, task } });
  if (!newest) throw new GatewayError('no_conversation');
  return await partiesIn(db, scope, newest);
}

/** The gateway is not an agent; a message addressed to its name answers its probe. */
function isGateway(peer: string): boolean {
  return peer === GATEWAY.remoteId || foldCase(peer) === foldCase(GATEWAY.remoteName ?? '');
}

/** Resolves a recipient by id or name. If several agents share a name, the default agent wins, then the oldest. */
async function partiesNamed(db: Db, scope: AgentScope, peer: string, task: string): Promise<Parties> {
  const name = foldCase(peer);
  const agents = await listAgents(db, scope.accountId);
  const meant = agents.find(({ id }) => id === peer) ?? agents.find((one) => foldCase(one.name) === name);
  const probe = meant || !isGateway(peer) ? undefined : await findProbeConversation(db, scope);
  if (probe) return await partiesIn(db, scope, probe);
  if (!meant) throw new GatewayError('agent_not_found');
  const senderId = scope.agentIds.find((id) => id !== meant.id);
  if (senderId === undefined)
    throw new GatewayError(
      'agent_not_found',
      'An agent cannot message itself, and this credential has no other agent',
    );
  return { senderId, peerId: meant.id, task };
}

/** A writer with both sides of a conversation answers its newest message. */
async function partiesIn(db: Db, scope: AgentScope, conversation: Conversation): Promise<Parties> {
  const { agentId, peerAgentId } = conversation;
  if (!agentId || !peerAgentId) throw new GatewayError('no_conversation');
  const [newest] = await listRows(db, 'messages', { seq: [conversation.lastSeq] }, ['seq']);
  const own = [agentId, peerAgentId].filter((id) => scope.agentIds.includes(id));
  const senderId = own.find((id) => id !== newest?.senderAgentId) ?? own[0];
  if (senderId === undefined) throw new GatewayError('no_conversation');
  return { senderId, peerId: senderId === agentId ? peerAgentId : agentId, task: conversation.task };
}

interface AgentMessage {
  readonly parties: Parties;
  readonly text: string;
  readonly files: readonly ResolvedFile[];
}

async function storeMessage(
  db: Db,
  { clock }: OutboundDomain,
  { scope: { accountId }, request }: Writer,
  { parties, text, files }: AgentMessage,
): Promise<string> {
  const { senderId, peerId, task } = parties;
  const nowIso = clock.nowIso();
  const wanted = { accountId, agentId: senderId, peerAgentId: peerId, task };
  const conversation = await openAgentConversation(db, wanted, nowIso);
  const message = await insertMessage(
    db,
    {
      id: newId('msg'),
      accountId,
      conversationId: conversation.id,
      direction: 'outbound',
      senderAgentId: senderId,
      text,
      status: 'delivered',
      expiresAt: null,
      platformMessageIds: [],
      fileIds: files.map(({ fileId }) => fileId),
    },
    nowIso,
  );
  await announceMessage(db, conversation, message, isProbe(parties) ? [] : [peerId]);
  await request?.note(db, message.id);
  return message.id;
}
