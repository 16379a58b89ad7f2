import {
  type ClientState,
  createCommit,
  createGroup,
  decodeExternalSender,
  decodeMlsMessage,
  type ExternalSender,
  emptyPskIndex,
  encodeExternalSender,
  encodeMlsMessage,
  generateKeyPackage,
  joinGroup,
  type KeyPackage,
  mlsExporter,
  type PrivateKeyPackage,
  type PublicMessage,
  processPublicMessage,
} from 'ts-mls';
import { processProposal } from 'ts-mls/clientState.js';
import { unprotectPublicMessage } from 'ts-mls/messageProtectionPublic.js';
import { decodeWelcome, encodeWelcome } from 'ts-mls/welcome.js';
import { basicCredential, mlsSuite, SUITE_NAME, snowflakeBytes, userOf } from './mls-suite.ts';
import { vectorOf } from './mls-vector.ts';

const CAPABILITIES = {
  versions: ['mls10' as const],
  ciphersuites: [SUITE_NAME as typeof SUITE_NAME],
  extensions: [],
  proposals: [],
  credentials: ['basic' as const],
};
/** DAVE wants the whole span. */
const LIFETIME = { notBefore: 0n, notAfter: 2n ** 64n - 1n };
const SENDER_KEY_LABEL = 'Discord Secure Frames v0';
const SENDER_KEY_BYTES = 16;

function readPublicMessage(bytes: Uint8Array): PublicMessage {
  const [decoded] = decodeMlsMessage(bytes, 0) ?? [];
  if (decoded?.wireformat !== 'mls_public_message') throw new Error('not a public message of MLS');
  return decoded.publicMessage;
}

/** A commit of one's own, until the gateway announces it or another one. */
interface OwnCommit {
  readonly bytes: Buffer;
  readonly state: ClientState;
}

/**
 * A person's half of a DAVE group, by ts-mls: another implementation of MLS than the one of the clients under test. Its
 * methods must not overlap.
 */
export class MlsMember {
  readonly #userId: string;
  readonly #groupId: Uint8Array;
  #keys: { readonly publicPackage: KeyPackage; readonly privatePackage: PrivateKeyPackage } | null = null;
  #externalSender: ExternalSender | null = null;
  #state: ClientState | null = null;
  #ownCommit: OwnCommit | null = null;

  constructor(userId: string, channelId: string) {
    this.#userId = userId;
    this.#groupId = snowflakeBytes(channelId);
  }

  get epoch(): bigint {
    return this.#state?.groupContext.epoch ?? 0n;
  }

  /** Forgets the group and returns a new key package, as an MLSMessage. */
  async newKeyPackage(): Promise<Uint8Array> {
    this.#ownCommit = null;
    this.#keys = await generateKeyPackage(
      basicCredential(this.#userId),
      CAPABILITIES,
      LIFETIME,
      [],
      await mlsSuite(),
    );
    await this.#startGroup();
    return encodeMlsMessage({
      version: 'mls10',
      wireformat: 'mls_key_package',
      keyPackage: this.#keys.publicPackage,
    });
  }

  /** `sender` is the payload of opcode 25. */
  async setExternalSender(sender: Uint8Array): Promise<void> {
    const [decoded] = decodeExternalSender(sender, 0) ?? [];
    if (!decoded) throw new Error('not an external sender');
    this.#externalSender = decoded;
    await this.#startGroup();
  }

  /** Takes proposals, each an MLSMessage. */
  async propose(proposals: readonly Uint8Array[]): Promise<void> {
    for (const proposal of proposals) await this.#propose(proposal);
  }

  /** `refs` are ProposalRefs. */
  revoke(refs: readonly Uint8Array[]): void {
    const state = this.#group;
    const unappliedProposals = { ...state.unappliedProposals };
    for (const ref of refs) delete unappliedProposals[Buffer.from(ref).toString('base64')];
    this.#state = { ...state, unappliedProposals };
  }

  /** The payload of opcode 28: a commit of all proposals, and a Welcome when it adds somebody; null without proposals. */
  async commit(): Promise<Buffer | null> {
    const state = this.#group;
    if (Object.keys(state.unappliedProposals).length === 0) return null;
    const { commit, welcome, newState } = await createCommit(
      { state, cipherSuite: await mlsSuite() },
      { wireAsPublicMessage: true, ratchetTreeExtension: true },
    );
    const bytes = Buffer.from(encodeMlsMessage(commit));
    this.#ownCommit = { bytes, state: newState };
    return welcome ? Buffer.concat([bytes, encodeWelcome(welcome)]) : bytes;
  }

  /** Takes the commit that the gateway announced, an MLSMessage. */
  async applyCommit(commit: Buffer): Promise<void> {
    if (this.#ownCommit?.bytes.equals(commit)) this.#state = this.#ownCommit.state;
    else if (this.epoch === 0n) throw new Error('a commit of others to a group that is only local');
    else await this.#applyOthersCommit(commit);
    this.#ownCommit = null;
  }

  async #applyOthersCommit(commit: Uint8Array): Promise<void> {
    const suite = await mlsSuite();
    const { newState } = await processPublicMessage(
      this.#group,
      readPublicMessage(commit),
      emptyPskIndex,
      suite,
    );
    this.#state = newState;
  }

  async applyWelcome(bytes: Uint8Array): Promise<void> {
    const [welcome] = decodeWelcome(bytes, 0) ?? [];
    if (!welcome || !this.#keys) throw new Error('no Welcome, or nobody waits for one');
    const { publicPackage, privatePackage } = this.#keys;
    this.#state = await joinGroup(welcome, publicPackage, privatePackage, emptyPskIndex, await mlsSuite());
    this.#ownCommit = null;
  }

  /** The users of the group. */
  get users(): readonly string[] {
    return this.#group.ratchetTree.flatMap((node) => {
      const user = node?.nodeType === 'leaf' ? userOf(node.leaf.credential) : null;
      return user === null ? [] : [user];
    });
  }

  /** The base secret of a sender's frame keys in this epoch. */
  async senderSecret(userId: string): Promise<Uint8Array> {
    const sender = Buffer.from(snowflakeBytes(userId)).reverse();
    const { exporterSecret } = this.#group.keySchedule;
    return mlsExporter(exporterSecret, SENDER_KEY_LABEL, sender, SENDER_KEY_BYTES, await mlsSuite());
  }

  /** A group of one's own, with the gateway as its external sender. */
  async #startGroup(): Promise<void> {
    if (!this.#keys || !this.#externalSender) return;
    const { publicPackage, privatePackage } = this.#keys;
    const state = await createGroup(this.#groupId, publicPackage, privatePackage, [], await mlsSuite());
    // A list of external senders (RFC 9420 section 12.1.8.1): ts-mls itself would read only a single one.
    const extensionData = vectorOf([encodeExternalSender(this.#externalSender)]);
    const extensions = [{ extensionType: 'external_senders' as const, extensionData }];
    this.#state = { ...state, groupContext: { ...state.groupContext, extensions } };
  }

  async #propose(bytes: Uint8Array): Promise<void> {
    const state = this.#group;
    const suite = await mlsSuite();
    const message = readPublicMessage(bytes);
    const { content } = message;
    if (content.contentType !== 'proposal' || content.sender.senderType !== 'external') {
      throw new Error('not a proposal of the external sender');
    }
    if (content.epoch !== state.groupContext.epoch) throw new Error('a proposal of another epoch');
    const key = this.#externalSender?.signaturePublicKey;
    const { membershipKey } = state.keySchedule;
    const checked = await unprotectPublicMessage(
      membershipKey,
      state.groupContext,
      state.ratchetTree,
      message,
      suite,
      key,
    );
    this.#state = await processProposal(state, checked, content.proposal, suite.hash);
  }

  get #group(): ClientState {
    if (!this.#state) throw new Error('no group yet');
    return this.#state;
  }
}
