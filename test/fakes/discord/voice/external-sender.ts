import { encodeExternalSender, encodeMlsMessage, type KeyPackage, type Proposal } from 'ts-mls';
import { makeProposalRef } from 'ts-mls/authenticatedContent.js';
import { protectExternalProposalPublic } from 'ts-mls/messageProtectionPublic.js';
import { basicCredential, mlsSuite, SUITE_NAME, snowflakeBytes } from './mls-suite.ts';

/** A proposal that was sent. */
export interface SignedProposal {
  /** ProposalRef in hexadecimal digits: how commits name it. */
  readonly ref: string;
  /** An MLSMessage. */
  readonly message: Uint8Array;
}

/** Any identity does; this one is no user. */
const IDENTITY = '0';

/** The voice gateway as external sender of an MLS group: only it may propose to add and to remove members. */
export class ExternalSender {
  readonly #groupId: Uint8Array;
  readonly #publicKey: Uint8Array;
  readonly #signKey: Uint8Array;

  private constructor(groupId: Uint8Array, publicKey: Uint8Array, signKey: Uint8Array) {
    this.#groupId = groupId;
    this.#publicKey = publicKey;
    this.#signKey = signKey;
  }

  static async create(channelId: string): Promise<ExternalSender> {
    const { publicKey, signKey } = await (await mlsSuite()).signature.keygen();
    return new ExternalSender(snowflakeBytes(channelId), publicKey, signKey);
  }

  /** ExternalSender of RFC 9420 section 12.1.8.1: the payload of opcode 25. */
  get package(): Uint8Array {
    return encodeExternalSender({
      signaturePublicKey: this.#publicKey,
      credential: basicCredential(IDENTITY),
    });
  }

  proposeAdd(epoch: bigint, keyPackage: KeyPackage): Promise<SignedProposal> {
    return this.#propose(epoch, { proposalType: 'add', add: { keyPackage } });
  }

  proposeRemove(epoch: bigint, leafIndex: number): Promise<SignedProposal> {
    return this.#propose(epoch, { proposalType: 'remove', remove: { removed: leafIndex } });
  }

  async #propose(epoch: bigint, proposal: Proposal): Promise<SignedProposal> {
    const suite = await mlsSuite();
    // The signature of an external sender covers the group's id and epoch, and nothing else of its context.
    const context = {
      version: 'mls10',
      cipherSuite: SUITE_NAME,
      groupId: this.#groupId,
      epoch,
      treeHash: new Uint8Array(),
      confirmedTranscriptHash: new Uint8Array(),
      extensions: [],
    } as const;
    const { publicMessage } = await protectExternalProposalPublic(
      this.#signKey,
      { ...context, extensions: [] },
      new Uint8Array(),
      proposal,
      { senderType: 'external', senderIndex: 0 },
      suite,
    );
    const { content, auth } = publicMessage;
    const ref = await makeProposalRef({ wireformat: 'mls_public_message', content, auth }, suite.hash);
    return {
      ref: Buffer.from(ref).toString('hex'),
      message: encodeMlsMessage({ version: 'mls10', wireformat: 'mls_public_message', publicMessage }),
    };
  }
}
