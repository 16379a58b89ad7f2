import { appendPayload, revokePayload } from './dave-payloads.ts';
import { ExternalSender } from './external-sender.ts';
import type { GroupRoster } from './group-roster.ts';
import { OP, type VoiceClient } from './opcodes.ts';
import { ProposalList } from './proposal-list.ts';

/** Proposes who is to be added and removed, and takes back what no longer holds. */
export class Proposer {
  readonly list = new ProposalList();
  readonly #roster: GroupRoster;
  readonly #sender: Promise<ExternalSender>;

  constructor(channelId: string, roster: GroupRoster) {
    this.#roster = roster;
    this.#sender = ExternalSender.create(channelId);
  }

  /** Tells a client whose proposals it may take. */
  async introduce(client: VoiceClient): Promise<void> {
    client.tellBinary(OP.externalSender, (await this.#sender).package);
  }

  /** Proposes what is missing in this epoch, and tells it to those who can commit it. */
  async propose(epoch: bigint): Promise<void> {
    const sender = await this.#sender;
    for (const userId of this.#roster.toRemove) {
      if (this.list.find('remove', userId)) continue;
      const leaf = this.#roster.leaves.leafOf(userId) ?? 0;
      this.list.add({ kind: 'remove', userId, ...(await sender.proposeRemove(epoch, leaf)) });
    }
    for (const { client, keyPackage } of this.#roster.toAdd) {
      const { userId } = client;
      if (!keyPackage || this.list.find('add', userId)) continue;
      this.list.add({ kind: 'add', userId, ...(await sender.proposeAdd(epoch, keyPackage)) });
    }
    for (const { client } of this.#roster.committers) {
      const news = this.list.news(client.userId);
      if (news.length > 0) client.tellBinary(OP.proposals, appendPayload(news));
    }
  }

  /** The user is gone or has another key package. */
  withdraw(userId: string): void {
    this.list.forget(userId);
    const proposal = this.list.find('add', userId);
    if (!proposal) return;
    for (const told of this.list.revoke(proposal)) {
      this.#roster.get(told)?.client.tellBinary(OP.proposals, revokePayload(proposal));
    }
  }
}
