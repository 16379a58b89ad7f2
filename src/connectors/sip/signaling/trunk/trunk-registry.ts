import { isIP } from 'node:net';
import { addressesIn } from '../../../../base/public-address.ts';
import type { Connection } from '../transport/wire.ts';
import type { Trunk } from './trunk.ts';

/** Operator's assignment of calls from an address to an account. */
export interface TrunkBinding {
  /** An account id, or `operator` for the operator's own account. */
  readonly account: string;
  /** An IP address or subnet. */
  readonly subnet: string;
}

/** Number of hex digits in an inbound token. */
const TOKEN_LENGTH = 32;

/**
 * The trunks of all accounts. A trunk is matched by proof that a message belongs to it: our Contact in the Request-URI,
 * a dialog, the connection opened by the trunk, or the operator's binding of an address. A provider's host in an
 * account's settings proves nothing, since many customers share it.
 */
export class TrunkRegistry {
  readonly #boundAccount: (address: string) => string | null;
  readonly #all = new Set<Trunk>();
  readonly #byAccount = new Map<string, Trunk>();
  /** Inbound tokens of trunks in service, and the dialog users of all trunks. */
  readonly #byContactUser = new Map<string, Trunk>();
  readonly #byConnection = new WeakMap<Connection, Trunk>();
  readonly #byAddress = new Map<string, Set<Trunk>>();
  readonly #addresses = new Map<Trunk, ReadonlySet<string>>();
  /** Trunk of the operator's own account. */
  #operators: Trunk | null = null;

  constructor(bindings: readonly TrunkBinding[]) {
    this.#boundAccount = accountsByAddress(bindings);
  }

  /** Adds a trunk and returns the one it replaces. */
  put(trunk: Trunk): Trunk | null {
    const { accountId, inboundToken, ofOperator } = trunk.settings;
    const replaced = this.retire(accountId);
    this.#all.add(trunk);
    this.#byAccount.set(accountId, trunk);
    this.#byContactUser.set(trunk.dialogUser, trunk);
    if (inboundToken.length === TOKEN_LENGTH) this.#byContactUser.set(inboundToken, trunk);
    if (ofOperator) this.#operators = trunk;
    return replaced;
  }

  /** Takes the account's trunk out of service: it receives no new calls but keeps its dialogs. */
  retire(accountId: string): Trunk | null {
    const trunk = this.#byAccount.get(accountId) ?? null;
    if (trunk === null) return null;
    this.#byAccount.delete(accountId);
    if (this.ofContactUser(trunk.settings.inboundToken) === trunk)
      this.#byContactUser.delete(trunk.settings.inboundToken);
    if (this.#operators === trunk) this.#operators = null;
    return trunk;
  }

  /** Removes a trunk that is out of service. */
  forget(trunk: Trunk): void {
    this.setAddresses(trunk, new Set());
    this.#addresses.delete(trunk);
    this.#byContactUser.delete(trunk.dialogUser);
    this.#all.delete(trunk);
  }

  /** Sets the current addresses of the trunk's servers. */
  setAddresses(trunk: Trunk, addresses: ReadonlySet<string>): void {
    for (const host of this.#addresses.get(trunk) ?? []) {
      const trunks = this.#byAddress.get(host);
      trunks?.delete(trunk);
      if (trunks?.size === 0) this.#byAddress.delete(host);
    }
    this.#addresses.set(trunk, addresses);
    for (const host of addresses) {
      this.#byAddress.set(host, (this.#byAddress.get(host) ?? new Set()).add(trunk));
    }
  }

  /** Records a connection opened by the trunk. */
  setConnection(trunk: Trunk, connection: Connection): void {
    this.#byConnection.set(connection, trunk);
  }

  ofAccount(accountId: string): Trunk | null {
    return this.#byAccount.get(accountId) ?? null;
  }

  /** Finds a trunk by the user part of our Contact or of an inbound URI (`<token>` or `<token>.<number>`). */
  ofContactUser(user: string): Trunk | null {
    return this.#byContactUser.get(namedIn(user)) ?? null;
  }

  /** Finds a trunk by the inbound token in a user part, the only user part that may open a call. */
  ofInboundUser(user: string): Trunk | null {
    const trunk = this.ofContactUser(user);
    return trunk?.settings.inboundToken === namedIn(user) ? trunk : null;
  }

  /** Finds a trunk by sip.js's dialog id, for peers that change our Contact on the way. */
  ofDialog(dialogId: string): Trunk | null {
    for (const trunk of this.#all) if (trunk.core.dialogs.has(dialogId)) return trunk;
    return null;
  }

  /** Returns the trunk in service that opened the connection, with its server at the other end. */
  ofConnection(connection: Connection | null): Trunk | null {
    const trunk = connection === null ? undefined : this.#byConnection.get(connection);
    return trunk !== undefined && this.isInService(trunk) ? trunk : null;
  }

  /**
   * Returns the trunk that the operator has bound to the address. Servers of the operator's own trunk are bound to it
   * unless the settings say otherwise.
   */
  boundTo(host: string): Trunk | null {
    const account = this.#boundAccount(host);
    if (account !== null) return account === 'operator' ? this.#operators : this.ofAccount(account);
    const operators = this.#operators;
    return operators !== null && this.#byAddress.get(host)?.has(operators) ? operators : null;
  }

  /** Returns any trunk with a server at this address. */
  anyAt(host: string): Trunk | null {
    return this.#byAddress.get(host)?.values().next().value ?? null;
  }

  /**
   * Whether a trunk has a server at this address, or the operator has bound it. This does not tell whose calls come
   * from there.
   */
  knowsAddress(host: string): boolean {
    return this.#byAddress.has(host) || this.#boundAccount(host) !== null;
  }

  isInService(trunk: Trunk): boolean {
    return this.#byAccount.get(trunk.settings.accountId) === trunk;
  }

  all(): Trunk[] {
    return [...this.#all];
  }
}

function namedIn(user: string): string {
  return user.charAt(TOKEN_LENGTH) === '.' ? user.slice(0, TOKEN_LENGTH) : user;
}

/** Returns the lookup of an address's account. The narrowest binding that matches the address wins. */
function accountsByAddress(bindings: readonly TrunkBinding[]): (address: string) => string | null {
  const narrowestFirst = bindings
    .toSorted((a, b) => openBits(a.subnet) - openBits(b.subnet))
    .map(({ account, subnet }) => ({ account, holds: addressesIn([subnet]) }));
  return (address) => narrowestFirst.find(({ holds }) => holds(address))?.account ?? null;
}

/** Number of bits that the subnet does not fix. */
function openBits(subnet: string): number {
  const [network = '', prefix] = subnet.split('/');
  const bits = isIP(network) === 6 ? 128 : 32;
  return bits - Number(prefix ?? bits);
}
