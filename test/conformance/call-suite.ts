import type { CallRule } from './calls/calls-under-test.ts';
import { ENDING_RULES } from './calls/ending-rules.ts';
import { INBOUND_RULES } from './calls/inbound-rules.ts';
import { MEETING_RULES } from './calls/meeting-rules.ts';
import { PLACING_RULES } from './calls/placing-rules.ts';
import { SEPARATION_RULES } from './calls/separation-rules.ts';

/** What the calls of every platform do. */
export const CALL_RULES: readonly CallRule[] = [
  ...PLACING_RULES,
  ...INBOUND_RULES,
  ...MEETING_RULES,
  ...SEPARATION_RULES,
  ...ENDING_RULES,
];
