import { describe, it } from 'vitest';

/** One sentence that holds for every connector, and how to find out. */
export interface Rule<Subject> {
  readonly title: string;
  /** Whether the connector declares what the rule is about. Absent: the rule holds for all. */
  readonly applies?: (subject: Subject) => boolean;
  /** Rejects when the subject breaks the rule. */
  check(subject: Subject): Promise<void>;
}

/** Registers each rule as a test. Rules about what the connector does not declare are skipped. */
export function describeRules<Subject>(
  name: string,
  rules: readonly Rule<Subject>[],
  subject: () => Subject,
): void {
  describe(name, () => {
    for (const rule of rules) {
      it(rule.title, async ({ skip }) => {
        if (rule.applies?.(subject()) === false) skip('not declared');
        await rule.check(subject());
      });
    }
  });
}
