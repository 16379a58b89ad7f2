import { describe, it } from 'vitest';

/** One sentence that holds for every connector, and how to find out. */
export interface Rule<Subject> {
  readonly title: string;
  /** Whether the connector declares what the rule is about. Absent: the rule holds for all. */
  readonly applies?: (subject: Subject) => boolean;
  /** It kills the gateway, or takes as long as a platform does. In CI one connector shows it for all. */
  readonly isSlow?: true;
  /** Rejects when the subject breaks the rule. */
  check(subject: Subject): Promise<void>;
}

/** Set at night: slow rules are checked for every connector. */
const EVERY_RULE = process.env.CONFORMANCE === 'whole';

/**
 * Registers each rule as a test. Rules about what the connector does not declare are skipped. `checksSlow`: also the slow
 * ones.
 */
export function describeRules<Subject>(
  name: string,
  rules: readonly Rule<Subject>[],
  subject: () => Subject,
  checksSlow = EVERY_RULE,
): void {
  describe(name, () => {
    for (const rule of rules) {
      if (rule.isSlow && !checksSlow) continue;
      it(rule.title, async ({ skip }) => {
        if (rule.applies?.(subject()) === false) skip('not declared');
        await rule.check(subject());
      });
    }
  });
}
