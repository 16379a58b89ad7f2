import type { LoginNotes } from '../../../../src/connectors/contract/login.ts';

/** Notes of logins, which outlive connectors as those in a database outlive processes. */
export class MemoryNotes implements LoginNotes {
  readonly kept = new Map<string, string>();
  /** This many writes fail from now on. */
  failures = 0;

  async read(loginKey: string): Promise<string | null> {
    return this.kept.get(loginKey) ?? null;
  }

  async write(loginKey: string, note: string | null): Promise<void> {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('the disk is full');
    }
    if (note === null) this.kept.delete(loginKey);
    else this.kept.set(loginKey, note);
  }
}
