import type { SignedProposal } from './external-sender.ts';

export interface Proposal extends SignedProposal {
  readonly kind: 'add' | 'remove';
  readonly userId: string;
}

/** The proposals of one epoch, and who was told which. */
export class ProposalList {
  readonly #open = new Map<string, Proposal>();
  readonly #revoked = new Set<string>();
  readonly #told = new Map<string, Set<string>>();

  add(proposal: Proposal): void {
    this.#open.set(proposal.ref, proposal);
  }

  find(kind: Proposal['kind'], userId: string): Proposal | null {
    return [...this.#open.values()].find((one) => one.kind === kind && one.userId === userId) ?? null;
  }

  byRef(ref: string): Proposal | null {
    return this.#open.get(ref) ?? null;
  }

  /**
   * Whether it was made earlier: a commit of such a one came too late, one of any other is wrong. A group that starts over
   * has epoch 0 again, so a commit of its former proposals may still arrive.
   */
  wasRevoked(ref: string): boolean {
    return this.#revoked.has(ref);
  }

  /** What this user has to commit: everything open that is not about themselves. */
  of(userId: string): readonly Proposal[] {
    return [...this.#open.values()].filter((proposal) => proposal.userId !== userId);
  }

  /** Those of them that the user has not been told; from now on they have. */
  news(userId: string): readonly Proposal[] {
    const told = this.#told.get(userId) ?? new Set();
    this.#told.set(userId, told);
    const news = this.of(userId).filter(({ ref }) => !told.has(ref));
    for (const { ref } of news) told.add(ref);
    return news;
  }

  /** Takes a proposal back and returns the users who know it. */
  revoke({ ref }: Proposal): readonly string[] {
    this.#open.delete(ref);
    this.#revoked.add(ref);
    return [...this.#told].filter(([, refs]) => refs.has(ref)).map(([userId]) => userId);
  }

  /** The user starts anew and has to be told everything again. */
  forget(userId: string): void {
    this.#told.delete(userId);
  }

  clear(): void {
    for (const ref of this.#open.keys()) this.#revoked.add(ref);
    this.#open.clear();
    this.#told.clear();
  }
}
