import type { KeyPackage } from 'ts-mls';
import { makeKeyPackageRef } from 'ts-mls/keyPackage.js';
import type { GroupRoster } from './group-roster.ts';
import { mlsSuite, userOf } from './mls-suite.ts';
import type { ProposalList } from './proposal-list.ts';
import type { SentCommit } from './sent-commit.ts';

/** What the voice gateway knows when a commit of the current epoch arrives. */
export interface CommitContext {
  readonly userId: string;
  readonly groupId: Uint8Array;
  readonly roster: GroupRoster;
  readonly list: ProposalList;
}

export type Verdict =
  | { readonly is: 'good' }
  /** The proposals have changed since: no fault of the client. */
  | { readonly is: 'late' }
  | { readonly is: 'wrong'; readonly why: string };

/** Whether the gateway may announce a commit (section "Voice Gateway Commit Validity" of the protocol's text). */
export async function judge(
  commit: SentCommit,
  { userId, groupId, roster, list }: CommitContext,
): Promise<Verdict> {
  if (commit.refs.some((ref) => !list.byRef(ref) && !list.wasRevoked(ref))) {
    return wrong('a commit of a proposal that nobody made');
  }
  const proposals = list.of(userId);
  if (sorted(commit.refs) !== sorted(proposals.map(({ ref }) => ref))) return { is: 'late' };
  if (!commit.groupId.equals(groupId)) return wrong('a commit to another group');
  // Whoever founds the group is its first leaf.
  const leafIndex = roster.isEstablished ? roster.leaves.leafOf(userId) : 0;
  if (commit.leafIndex !== leafIndex) return wrong(`a commit of leaf ${commit.leafIndex}`);
  if (commit.newLeaf && userOf(commit.newLeaf.credential) !== userId) {
    return wrong('a commit that changes the credential');
  }
  const added = proposals.flatMap(({ kind, userId: user }) =>
    kind === 'add' ? (roster.get(user)?.keyPackage ?? []) : [],
  );
  const welcomed = (commit.welcome?.secrets ?? []).map(({ newMember }) => newMember);
  if (sorted(welcomed.map(hex)) !== sorted((await Promise.all(added.map(keyPackageRef))).map(hex))) {
    return wrong('a Welcome for others than those whom the commit adds');
  }
  return { is: 'good' };
}

export async function keyPackageRef(keyPackage: KeyPackage): Promise<Uint8Array> {
  return makeKeyPackageRef(keyPackage, (await mlsSuite()).hash);
}

function wrong(why: string): Verdict {
  return { is: 'wrong', why };
}

function sorted(names: readonly string[]): string {
  return names.toSorted().join();
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
