import { it } from 'vitest';
import { expectRulesToHold } from '../unit/agents/agent-rules.ts';

/** A few hundred of them are among the unit tests. */
const SEQUENCES = 10_000;

it(
  `no sequence of ${SEQUENCES} leaves an orphan, two defaults or none`,
  () => expectRulesToHold(SEQUENCES),
  300_000,
);
