import type { FieldSpec } from '../../parts/field.ts';

function limit(label: string): FieldSpec {
  return { label, type: 'number', min: 0, placeholder: 'as usual' };
}

export const t = {
  title: 'Budget',
  hint: 'What it may use per hour and day (UTC). When it is used up, its model is no longer asked, and no new calls begin.',
  change: 'Change the limits',
  account: 'Whole account',
  spans: { hour: 'This hour', day: 'Today' },
  resources: [
    ['turns', 'Questions to models'],
    ['tokens', 'Tokens'],
    ['minutes', 'Minutes of calls'],
  ] as const,
  limits: {
    turns_per_hour: limit('Questions per hour'),
    turns_per_day: limit('Questions per day'),
    tokens_per_hour: limit('Tokens per hour'),
    tokens_per_day: limit('Tokens per day'),
    minutes_per_hour: limit('Minutes per hour'),
    minutes_per_day: limit('Minutes per day'),
  },
  spent: (whose: string, what: string, span: string, percent: number) =>
    `${whose}: ${what}, ${span.toLowerCase()}: ${percent} % of the budget are used`,
};
