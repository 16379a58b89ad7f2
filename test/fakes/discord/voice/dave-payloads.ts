import type { KeyPackage, Welcome } from 'ts-mls';
import { encodeWelcome } from 'ts-mls/welcome.js';
import { keyPackageRef } from './commit-check.ts';
import { vectorOf } from './mls-vector.ts';
import type { Proposal } from './proposal-list.ts';

const APPEND = 0;
const REVOKE = 1;

/** The payload of opcode 27 with new proposals. */
export function appendPayload(proposals: readonly Proposal[]): Buffer {
  return Buffer.concat([Buffer.from([APPEND]), vectorOf(proposals.map(({ message }) => message))]);
}

/** The payload of opcode 27 that takes a proposal back. */
export function revokePayload({ ref }: Proposal): Buffer {
  return Buffer.concat([Buffer.from([REVOKE]), vectorOf([vectorOf([Buffer.from(ref, 'hex')])])]);
}

/** The payload of opcode 29. */
export function commitPayload(transitionId: number, commit: Uint8Array): Buffer {
  return Buffer.concat([uint16(transitionId), commit]);
}

/** The payload of opcode 30 for the owner of `keyPackage`: without the secrets for others. */
export async function welcomePayload(
  transitionId: number,
  welcome: Welcome,
  keyPackage: KeyPackage,
): Promise<Buffer> {
  const ref = await keyPackageRef(keyPackage);
  const secrets = welcome.secrets.filter(({ newMember }) => Buffer.compare(newMember, ref) === 0);
  return Buffer.concat([uint16(transitionId), encodeWelcome({ ...welcome, secrets })]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
