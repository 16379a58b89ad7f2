import { wholeNumber } from './values.ts';

/** Settings of what agents may use of what costs money. */
export const BUDGET_VARIABLES = {
  SVC_BUDGET_TURNS: {
    default: '2000',
    schema: wholeNumber(1, 1_000_000_000),
    meaning:
      'Calls of a model per agent and hour, unless its owner sets something else; five times as many per day, and per account five times as many as per agent',
  },
  SVC_BUDGET_TOKENS: {
    default: '20000000',
    schema: wholeNumber(1, 1_000_000_000_000),
    meaning: 'The same for tokens of models, read and written',
  },
  SVC_BUDGET_MINUTES: {
    default: '6000',
    schema: wholeNumber(1, 1_000_000_000),
    meaning:
      'The same for minutes of calls: new calls answer 429, and calls under way end once a fifth more is used',
  },
} as const;
