import type { KeyPackage } from 'ts-mls';
import { makeKeyPackageRef } from 'ts-mls/keyPackage.js';
import { mlsSuite, userOf } from './mls-suite.ts';
import type { SentCommit } from './sent-commit.ts';

/** What the voice gateway knows when a commit arrives. */
export interface ExpectedCommit {
  readonly userId: string;
  readonly groupId: Uint8Array;
  readonly leafIndex: number;
  /** Key packages of those whom the commit adds. */
  readonly added: readonly KeyPackage[];
}

/**
 * Why the gateway does not announce a commit (section "Voice Gateway Commit Validity" of the protocol's text); null when
 * nothing is wrong. The proposals have been looked at before.
 */
export async function whatIsWrong(commit: SentCommit, expected: ExpectedCommit): Promise<string | null> {
  if (!commit.groupId.equals(expected.groupId)) return 'a commit to another group';
  if (commit.leafIndex !== expected.leafIndex) return `a commit of leaf ${commit.leafIndex}`;
  if (commit.newLeaf && userOf(commit.newLeaf.credential) !== expected.userId) {
    return 'a commit that changes the credential';
  }
  const welcomed = (commit.welcome?.secrets ?? []).map(({ newMember }) => hex(newMember)).sort();
  const added = (await Promise.all(expected.added.map(keyPackageRef))).map(hex).sort();
  if (welcomed.join() !== added.join()) return 'a Welcome for others than those whom the commit adds';
  return null;
}

export async function keyPackageRef(keyPackage: KeyPackage): Promise<Uint8Array> {
  return makeKeyPackageRef(keyPackage, (await mlsSuite()).hash);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
