import { createHash, randomBytes } from 'node:crypto';
import type { SipTrunk } from '../../contract/sip-accounts.ts';
import type { Trunk } from './trunk.ts';

/** The trunks of all accounts, found by account, by our Contact, by dialog and by the address of a server. */
export class TrunkBook {
  readonly #byAccount = new Map<string, Trunk>();
  readonly #byContactUser = new Map<string, Trunk>();
  /** Removed or replaced, kept for their live calls. */
  readonly #retired = new Set<Trunk>();

  /**
   * The user part for the Contact of a new trunk: the same after a restart, so that its registrar replaces the
   * binding that a crash has left behind; a random one while a former trunk still uses that. Nobody outside knows
   * the account's identifier, so nobody can guess it.
   */
  contactUserFor({ accountId, username, host, port, transport }: SipTrunk): string {
    const usual = createHash('sha256')
      .update(`${accountId} ${username} ${host} ${port} ${transport}`)
      .digest('hex')
      .slice(0, 18);
    return this.#byContactUser.has(usual) ? randomBytes(9).toString('hex') : usual;
  }

  /** Adds the trunk; gives the one that it replaces. */
  put(trunk: Trunk): Trunk | null {
    const replaced = this.retire(trunk.settings.accountId);
    this.#byAccount.set(trunk.settings.accountId, trunk);
    this.#byContactUser.set(trunk.contactUser, trunk);
    return replaced;
  }

  /** Takes the account's trunk out of service; it still gets what belongs to its dialogs. */
  retire(accountId: string): Trunk | null {
    const trunk = this.#byAccount.get(accountId) ?? null;
    if (trunk === null) return null;
    this.#byAccount.delete(accountId);
    this.#retired.add(trunk);
    return trunk;
  }

  forget(trunk: Trunk): void {
    this.#retired.delete(trunk);
    this.#byContactUser.delete(trunk.contactUser);
    if (this.#byAccount.get(trunk.settings.accountId) === trunk)
      this.#byAccount.delete(trunk.settings.accountId);
  }

  ofAccount(accountId: string): Trunk | null {
    return this.#byAccount.get(accountId) ?? null;
  }

  ofContactUser(user: string): Trunk | null {
    return this.#byContactUser.get(user) ?? null;
  }

  /** By the identifier that sip.js gives dialogs; for peers that change our Contact on the way. */
  ofDialog(dialogId: string): Trunk | null {
    for (const trunk of this.#byContactUser.values()) {
      if (trunk.core.dialogs.has(dialogId)) return trunk;
    }
    return null;
  }

  /** The trunks in service of which a server has that IP address. */
  atAddress(host: string): Trunk[] {
    return [...this.#byAccount.values()].filter((trunk) => trunk.hasAddress(host));
  }

  knowsAddress(host: string): boolean {
    for (const trunk of this.#byContactUser.values()) if (trunk.hasAddress(host)) return true;
    return false;
  }

  all(): Trunk[] {
    return [...this.#byContactUser.values()];
  }
}
