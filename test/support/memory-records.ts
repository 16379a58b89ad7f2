import type { PlatformRecord, PlatformRecords } from '../../src/connectors/contract/records.ts';

/** What a connector keeps, in memory: it outlives connectors, as a database does. */
export class MemoryRecords implements PlatformRecords {
  /** By login, kind and key. */
  readonly kept = new Map<string, PlatformRecord>();
  /** This many writes fail from now on. */
  failures = 0;

  /** The values of a kind, of any login. */
  of<Value>(kind: string): Value[] {
    return [...this.kept.values()].filter((each) => each.kind === kind).map(({ value }) => value as Value);
  }

  async find(loginKey: string, kind: string, key = ''): Promise<unknown> {
    const record = this.kept.get(nameOf(loginKey, kind, key));
    return record === undefined ? null : structuredClone(record.value);
  }

  async list(loginKey: string, kind: string): Promise<unknown[]> {
    const all = [...this.kept.values()];
    return all.filter((each) => each.loginKey === loginKey && each.kind === kind).map(({ value }) => value);
  }

  /** There are no accounts here. */
  async ofOtherAccounts(): Promise<unknown[]> {
    return [];
  }

  async put(record: PlatformRecord): Promise<boolean> {
    this.#fail();
    const { loginKey, kind, key = '', space, unique } = record;
    for (const other of this.kept.values())
      if (unique !== undefined && other.unique === unique && other.loginKey !== loginKey) return false;
    this.kept.set(nameOf(loginKey, kind, space ? `${space.kind} ${space.id}` : key), record);
    return true;
  }

  async delete(loginKey: string, kind?: string, key = ''): Promise<void> {
    this.#fail();
    for (const name of this.kept.keys())
      if (kind === undefined ? name.startsWith(`${loginKey}\n`) : name === nameOf(loginKey, kind, key))
        this.kept.delete(name);
  }

  #fail(): void {
    if (this.failures === 0) return;
    this.failures -= 1;
    throw new Error('the disk is full');
  }
}

function nameOf(...parts: readonly string[]): string {
  return parts.join('\n');
}
