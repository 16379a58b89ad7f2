import { afterAll, beforeAll, expect, it } from 'vitest';
import type { GatewayOptions } from '../../support/gateway.ts';
import { Breakage } from './breakage.ts';
import type { Violation } from './violation.ts';

const PATIENCE_MS = 10_000;
/** A violated rule often waits for what never happens. */
const PATIENCE_WITH_VIOLATION_MS = 1_000;

/** A platform that rules are checked on. */
interface Subject {
  patienceMs: number;
  stop(): Promise<void>;
}

interface Rule<Tested> {
  readonly title: string;
  readonly applies?: (subject: Tested) => boolean;
  check(subject: Tested): Promise<void>;
}

/** The subjects of a suite, all over gateways whose connectors can be broken. */
interface Subjects<Tested> {
  start(options: { readonly gateway: GatewayOptions; readonly patienceMs: number }): Promise<Tested[]>;
  /** Undoes what a violated rule may leave behind. */
  recover(subject: Tested, violation: Violation): Promise<void>;
}

/** Tests that each rule fails while a connector violates it, holds otherwise, and has a violation. */
export function noticesViolations<Tested extends Subject>(
  rules: readonly Rule<Tested>[],
  violations: readonly Violation[],
  { start, recover }: Subjects<Tested>,
): void {
  /** Rules that hold without a violation. */
  const held = new Set<Rule<Tested>>();
  let breakage: Breakage;
  let subjects: Tested[];

  beforeAll(async () => {
    breakage = await Breakage.prepare();
    subjects = await start({ gateway: breakage.gateway, patienceMs: PATIENCE_MS });
  });
  afterAll(async () => {
    await Promise.all((subjects ?? []).map((subject) => subject.stop()));
    breakage?.close();
  });

  it('has a violation for each rule', () => {
    const violated = new Set(violations.map(({ rule }) => rule));
    expect([...violated].sort()).toEqual(rules.map(({ title }) => title).sort());
  });

  it.each(violations)('notices a connector that $does', async (violation) => {
    const rule = rules.find(({ title }) => title === violation.rule)!;
    const subject = subjects.find((each) => rule.applies?.(each) !== false)!;
    if (!held.has(rule)) await rule.check(subject);
    held.add(rule);
    breakage.violate(violation.does);
    subject.patienceMs = PATIENCE_WITH_VIOLATION_MS;
    try {
      await expect(rule.check(subject)).rejects.toThrow();
    } finally {
      subject.patienceMs = PATIENCE_MS;
      breakage.mend();
      await recover(subject, violation);
    }
  });
}
