import type {
  Registration,
  SipDirectory,
  SipNumber,
  SipTrunk,
} from '../../../src/connectors/contract/sip-accounts.ts';

/** A directory that records what it is given, as the connector does. */
export class FakeDirectory implements SipDirectory {
  readonly trunks = new Map<string, SipTrunk>();
  readonly numbers = new Map<string, SipNumber>();

  mayUse(host: string): boolean {
    return !host.startsWith('169.254.');
  }

  putTrunk(trunk: SipTrunk): void {
    this.trunks.set(trunk.accountId, trunk);
  }

  removeTrunk(accountId: string): void {
    this.trunks.delete(accountId);
  }

  inboundUri(accountId: string): string | null {
    const trunk = this.trunks.get(accountId);
    return trunk === undefined ? null : `sip:${trunk.inboundToken}@192.0.2.1:5060`;
  }

  registration(accountId: string): Registration {
    const registers = this.trunks.get(accountId)?.register ?? false;
    return { state: registers ? 'registering' : 'off', lastError: null, expiresAt: null };
  }

  putNumber(number: SipNumber): void {
    this.numbers.set(number.didId, number);
  }

  removeNumber(didId: string): void {
    this.numbers.delete(didId);
  }
}
