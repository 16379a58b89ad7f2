import { it } from 'vitest';
import { expectRulesToHold } from './agent-rules.ts';

it('no sequence of operations leaves an orphan, two defaults or none', () => expectRulesToHold(100));
