import { it } from 'vitest';
import { expectRulesToHold } from '../unit/agents/agent-rules.ts';

/** The unit tests run a few hundred of them. */
const SEQUENCES = 10_000;

it(
  `none of ${SEQUENCES} sequences leaves an orphan, two defaults or no default`,
  () => expectRulesToHold(SEQUENCES),
  300_000,
);
