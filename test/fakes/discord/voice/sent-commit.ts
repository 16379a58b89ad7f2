import type { LeafNodeCommit } from 'ts-mls';
import { decodeMlsMessage, type Welcome } from 'ts-mls';
import { decodeWelcome } from 'ts-mls/welcome.js';
import { VoiceRefusal } from './close-codes.ts';

/** The payload of opcode 28, taken apart. */
export interface SentCommit {
  readonly groupId: Buffer;
  readonly epoch: bigint;
  /** The leaf that says it committed. */
  readonly leafIndex: number;
  /** ProposalRefs in hexadecimal digits, in the order in which they take effect. */
  readonly refs: readonly string[];
  readonly newLeaf: LeafNodeCommit | null;
  /** The MLSMessage alone. */
  readonly bytes: Buffer;
  readonly welcome: Welcome | null;
}

export function readCommit(payload: Buffer): SentCommit {
  const [message, commitBytes] = decodeMlsMessage(payload, 0) ?? [];
  if (message?.wireformat !== 'mls_public_message' || commitBytes === undefined) {
    throw new VoiceRefusal(4002, 'no public message of MLS');
  }
  const { content } = message.publicMessage;
  if (content.contentType !== 'commit' || content.sender.senderType !== 'member') {
    throw new VoiceRefusal(4020, 'not a commit of a member');
  }
  const refs = content.commit.proposals.map((proposal) => {
    if (proposal.proposalOrRefType === 'proposal') throw new VoiceRefusal(4020, 'a commit with a proposal');
    return Buffer.from(proposal.reference).toString('hex');
  });
  return {
    groupId: Buffer.from(content.groupId),
    epoch: content.epoch,
    leafIndex: content.sender.leafIndex,
    refs,
    newLeaf: content.commit.path?.leafNode ?? null,
    bytes: payload.subarray(0, commitBytes),
    welcome: readWelcome(payload.subarray(commitBytes)),
  };
}

function readWelcome(bytes: Buffer): Welcome | null {
  if (bytes.length === 0) return null;
  const [welcome, length] = decodeWelcome(bytes, 0) ?? [];
  if (!welcome || length !== bytes.length) throw new VoiceRefusal(4002, 'no Welcome behind the commit');
  return welcome;
}
