import type { Dns, NaptrRecord, SrvRecord } from '../../../../../src/connectors/sip/signaling/address/dns.ts';

export interface Records {
  readonly naptr?: Readonly<Record<string, NaptrRecord[]>>;
  readonly srv?: Readonly<Record<string, SrvRecord[]>>;
  readonly addresses?: Readonly<Record<string, readonly string[]>>;
}

/** A DNS with the records that a test gives it. They may change between questions. */
export class FakeDns implements Dns {
  /** All questions, as `SRV name`. */
  readonly asked: string[] = [];
  readonly #records: Records;

  constructor(records: Records = {}) {
    this.#records = records;
  }

  async naptr(name: string): Promise<NaptrRecord[]> {
    return this.#found('NAPTR', name, this.#records.naptr);
  }

  async srv(name: string): Promise<SrvRecord[]> {
    return this.#found('SRV', name, this.#records.srv);
  }

  async addresses(name: string) {
    const found = this.#found('A', name, this.#records.addresses);
    return found.map((address) => ({ address, ttlS: 60 }));
  }

  #found<T>(type: string, name: string, records: Readonly<Record<string, T>> = {}): T {
    this.asked.push(`${type} ${name}`);
    const found = records[name];
    if (found === undefined) throw new Error('ENODATA');
    return found;
  }
}

export function srv(name: string, priority: number, weight = 0, port = 5_060): SrvRecord {
  return { name, priority, weight, port };
}

export function naptr(service: string, replacement: string, order: number): NaptrRecord {
  return { service, replacement, order, preference: 50, flags: 's', regexp: '' };
}
