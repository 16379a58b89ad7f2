import { it } from 'vitest';
import { expectRulesToHold } from '../unit/agents/agent-rules.ts';

/** The unit tests run a few hundred. Every run draws others. */
const SEQUENCES = 3_000;

it(
  `none of ${SEQUENCES} sequences leaves an orphan, two defaults or no default`,
  () => expectRulesToHold(SEQUENCES),
  300_000,
);
