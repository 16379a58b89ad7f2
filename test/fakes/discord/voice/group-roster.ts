import type { KeyPackage } from 'ts-mls';
import { LeafTable } from './leaf-table.ts';
import type { VoiceClient } from './opcodes.ts';
import type { Proposal } from './proposal-list.ts';

/** A connected client that speaks DAVE. */
export interface RosterMember {
  readonly client: VoiceClient;
  /** Waits to be used for adding the member. */
  keyPackage: KeyPackage | null;
  /** Has lost its state: it must be removed and added again. */
  isStale: boolean;
  knowsSender: boolean;
}

/** Who gets a commit, and who its Welcome. */
export interface AppliedCommit {
  readonly stayed: readonly RosterMember[];
  readonly added: readonly { readonly client: VoiceClient; readonly keyPackage: KeyPackage }[];
}

/** Who is connected, and who holds which leaf of the group's tree. */
export class GroupRoster {
  readonly leaves = new LeafTable();
  readonly #members = new Map<string, RosterMember>();

  connect(client: VoiceClient): RosterMember {
    const member = { client, keyPackage: null, isStale: false, knowsSender: false };
    this.#members.set(client.userId, member);
    return member;
  }

  disconnect(userId: string): boolean {
    return this.#members.delete(userId);
  }

  get(userId: string): RosterMember | null {
    return this.#members.get(userId) ?? null;
  }

  get members(): readonly RosterMember[] {
    return [...this.#members.values()];
  }

  get isEstablished(): boolean {
    return this.leaves.users.length > 0;
  }

  /** Connected, with a leaf. */
  get inGroup(): readonly RosterMember[] {
    return this.members.filter(({ client }) => this.leaves.leafOf(client.userId) !== null);
  }

  /** Whether all who are connected share the group's keys, and nobody else; one alone has no group. */
  get isComplete(): boolean {
    const { length } = this.members;
    return this.toRemove.length === 0 && (length < 2 || this.inGroup.length === length);
  }

  /** Those who can commit: the members of the group, or before there is one all who could found it. */
  get committers(): readonly RosterMember[] {
    if (this.isEstablished) return this.inGroup.filter(({ isStale }) => !isStale);
    return this.members.filter(({ keyPackage }) => keyPackage !== null);
  }

  /** Users to take out of the group. */
  get toRemove(): readonly string[] {
    return this.leaves.users.filter((userId) => this.get(userId)?.isStale ?? true);
  }

  /** Members to add who can be added. */
  get toAdd(): readonly RosterMember[] {
    return this.members.filter(({ client, keyPackage, isStale }) => {
      const isIn = this.leaves.leafOf(client.userId) !== null && !isStale;
      return keyPackage !== null && !isIn;
    });
  }

  /** Changes the leaves as a commit says. Without a group its sender founds one. */
  apply(senderId: string, proposals: readonly Proposal[]): AppliedCommit {
    if (!this.isEstablished) this.leaves.add(senderId);
    const stayed = this.inGroup.filter(({ isStale }) => !isStale);
    for (const { kind, userId } of proposals) if (kind === 'remove') this.leaves.remove(userId);
    for (const { kind, userId } of proposals) if (kind === 'add') this.leaves.add(userId);
    const added = this.inGroup.flatMap((member) => {
      const { client, keyPackage } = member;
      return keyPackage && !stayed.includes(member) ? [{ client, keyPackage }] : [];
    });
    for (const member of this.inGroup) {
      member.keyPackage = null;
      member.isStale = false;
    }
    return { stayed, added };
  }
}
