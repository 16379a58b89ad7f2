import { dayOf, isoAfter } from '../../base/time.ts';
import type { Uses } from '../../store/people/budget-uses.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What costs money. `turns` are calls of a model. */
export const RESOURCES = ['turns', 'tokens', 'minutes'] as const;
export type Resource = (typeof RESOURCES)[number];

export const SPANS = ['hour', 'day'] as const;
export type Span = (typeof SPANS)[number];

/** The most that may be used in an hour and on a day. */
export type Limits = Readonly<Record<`${Resource}_per_${Span}`, number>>;

/** Hours and days are those of UTC, as in the account's usage. */
export interface Periods {
  readonly hour: string;
  readonly day: string;
}

export function periodsAt(nowIso: string): Periods {
  return { hour: nowIso.slice(0, 'YYYY-MM-DDTHH'.length), day: dayOf(nowIso) };
}

/** Returns when the present hour or day ends. */
export function endOf(nowIso: string, span: Span): string {
  const { hour, day } = periodsAt(nowIso);
  return span === 'hour' ? isoAfter(`${hour}:00:00.000Z`, HOUR_MS) : isoAfter(`${day}T00:00:00.000Z`, DAY_MS);
}

const MS_PER_MINUTE = 60_000;

/** Returns how much of a resource was used. Minutes include fractions. */
export function usedOf(resource: Resource, { turns, tokens, callMs }: Uses): number {
  if (resource === 'minutes') return callMs / MS_PER_MINUTE;
  return resource === 'turns' ? turns : tokens;
}

/** An agent may use five times as much on a day as in an hour: five busy hours. */
const HOURS_OF_DAY = 5;
/** An account may use as much as five busy agents. */
const AGENTS_OF_ACCOUNT = 5;

/** What an agent may use in an hour, as the operator has set it. */
export type HourlyLimits = Readonly<Record<Resource, number>>;

/** Returns the limits of an agent whose owner has set none. */
export function limitsOfAgent({ turns, tokens, minutes }: HourlyLimits): Limits {
  return {
    turns_per_hour: turns,
    turns_per_day: turns * HOURS_OF_DAY,
    tokens_per_hour: tokens,
    tokens_per_day: tokens * HOURS_OF_DAY,
    minutes_per_hour: minutes,
    minutes_per_day: minutes * HOURS_OF_DAY,
  };
}

/** Returns the limits of an account, which its owner cannot change. */
export function limitsOfAccount({ turns, tokens, minutes }: HourlyLimits): Limits {
  return limitsOfAgent({
    turns: turns * AGENTS_OF_ACCOUNT,
    tokens: tokens * AGENTS_OF_ACCOUNT,
    minutes: minutes * AGENTS_OF_ACCOUNT,
  });
}

/** A budget that was reached, or 80 % of it. */
export interface BudgetNotice {
  readonly accountId: string;
  readonly agentId: string;
  /** Whether the budget is that of the agent or of its account. */
  readonly scope: 'agent' | 'account';
  readonly resource: Resource;
  readonly span: Span;
  readonly percent: 80 | 100;
  readonly limit: number;
  /** When the next hour or day begins. */
  readonly endsAt: string;
}

const NOUNS: Readonly<Record<Resource, string>> = {
  turns: 'calls of a model',
  tokens: 'tokens of a model',
  minutes: 'minutes of calls',
};

/** Says which budget is used up, and until when. */
export function spentText({ scope, resource, span, limit, endsAt }: Omit<BudgetNotice, 'percent'>): string {
  return `The budget of the ${scope} is used up: ${limit} ${NOUNS[resource]} per ${span}, until ${endsAt}`;
}
