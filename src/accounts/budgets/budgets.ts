import type { Clock } from '../../base/time.ts';
import { type Db, listRows } from '../../store/database/rows.ts';
import { putUses, type Uses, usesSince } from '../../store/people/budget-uses.ts';
import {
  type BudgetNotice,
  endOf,
  type HourlyLimits,
  type Limits,
  limitsOfAccount,
  limitsOfAgent,
  type Periods,
  periodsAt,
  RESOURCES,
  type Resource,
  SPANS,
  type Span,
  usedOf,
} from './budget.ts';

/** An agent and its account: both have budgets. */
export interface Spender {
  readonly accountId: string;
  readonly agentId: string;
}

/** What an agent or account may use, and has used, in the present hour and on the present day. */
export interface BudgetView {
  /** Null: the account. */
  readonly agentId: string | null;
  readonly limits: Limits;
  readonly used: Present;
}

type Present = Readonly<Record<Span, Readonly<Uses>>>;

interface BudgetDeps {
  readonly db: Db;
  readonly clock: Pick<Clock, 'nowIso'>;
  /** What an agent may use in an hour, unless its owner has set something else. */
  readonly hourly: HourlyLimits;
  /** Is told once per hour or day when 80 and 100 % of a budget are used. */
  readonly onNotice: (notice: BudgetNotice) => void;
}

type Counted = { readonly [Use in keyof Uses]?: Uses[Use] };

const NOTHING: Uses = { turns: 0, tokens: 0, callMs: 0 };
const PERCENTS = [80, 100] as const;

/**
 * Counts what agents use of what costs money: calls and tokens of models, and minutes of calls. Kept in memory, so that
 * asking costs nothing, and stored by `save` in the transaction of what was paid for, so that a restart resets nothing.
 * Only what was used today is in memory.
 */
export class Budgets {
  readonly #deps: BudgetDeps;
  readonly #ofAgents: Limits;
  readonly #ofAccounts: Limits;
  /** What owners have set, by agent. */
  readonly #set = new Map<string, Partial<Limits>>();
  /** By agent and by account. Their ids differ. */
  readonly #used = new Map<string, Record<Span, Uses>>();
  #periods: Periods;

  private constructor(deps: BudgetDeps) {
    this.#deps = deps;
    this.#ofAgents = limitsOfAgent(deps.hourly);
    this.#ofAccounts = limitsOfAccount(deps.hourly);
    this.#periods = periodsAt(deps.clock.nowIso());
  }

  /** Goes on where the last process stopped. */
  static async load(deps: BudgetDeps): Promise<Budgets> {
    const budgets = new Budgets(deps);
    for (const { agentId, limits } of await listRows(deps.db, 'agentBudgets', {}))
      budgets.#set.set(agentId, limits);
    const { hour, day } = budgets.#periods;
    for (const { accountId, agentId, period, turns, tokens, callMs } of await usesSince(deps.db, day)) {
      const used = budgets.#usedBy(agentId || accountId);
      if (period === day) used.day = { turns, tokens, callMs };
      else if (period === hour) used.hour = { turns, tokens, callMs };
    }
    return budgets;
  }

  /** Returns the first budget of these that the agent or its account has used up. Null: none. */
  spent(spender: Spender, resources: readonly Resource[]): Omit<BudgetNotice, 'percent'> | null {
    const over = this.#budgetsOf(spender).find(
      ({ resource, used, limit }) => resources.includes(resource) && used >= limit,
    );
    return over ? this.#noticeOf(spender, over) : null;
  }

  /** Returns whether the agent or its account has used more than `factor` times what it may of a resource. */
  isBeyond(spender: Spender, resource: Resource, factor: number): boolean {
    return this.#budgetsOf(spender).some(
      (one) => one.resource === resource && one.used >= one.limit * factor,
    );
  }

  /** Counts what an agent has used. Call `save` afterwards. */
  count(spender: Spender, counted: Counted): void {
    const before = this.#budgetsOf(spender);
    for (const id of [spender.agentId, spender.accountId])
      for (const span of SPANS) this.#usedBy(id)[span] = sum(this.#usedBy(id)[span], counted);
    this.#budgetsOf(spender).forEach((after, index) => {
      for (const percent of PERCENTS) {
        const mark = (after.limit * percent) / 100;
        if (before[index]!.used < mark && after.used >= mark)
          this.#deps.onNotice({ ...this.#noticeOf(spender, after), percent });
      }
    });
  }

  /** Stores what an agent and its account have used. */
  async save(db: Db, { accountId, agentId }: Spender): Promise<void> {
    const ofAgent = this.#usedBy(agentId);
    await putUses(db, { accountId, agentId, ...this.#periods, ofAgent, ofAccount: this.#usedBy(accountId) });
  }

  /** Applies limits that the owner of an agent has set; none: the gateway's. Call it after they are stored. */
  setLimits(agentId: string, limits: Partial<Limits>): void {
    if (Object.keys(limits).length > 0) this.#set.set(agentId, limits);
    else this.#set.delete(agentId);
  }

  /** Returns the budgets of an account, or of one of its agents. */
  viewOf(accountId: string, agentId: string | null): BudgetView {
    this.#turnPeriod();
    const limits = agentId === null ? this.#ofAccounts : this.#limitsOf(agentId);
    const none = { hour: NOTHING, day: NOTHING };
    return { agentId, limits, used: { ...(this.#used.get(agentId ?? accountId) ?? none) } };
  }

  #limitsOf(agentId: string): Limits {
    return { ...this.#ofAgents, ...this.#set.get(agentId) };
  }

  #budgetsOf({ accountId, agentId }: Spender): OneBudget[] {
    const scopes = [
      { scope: 'agent', limits: this.#limitsOf(agentId), used: this.#usedBy(agentId) },
      { scope: 'account', limits: this.#ofAccounts, used: this.#usedBy(accountId) },
    ] as const;
    return scopes.flatMap(({ scope, limits, used }) =>
      SPANS.flatMap((span) =>
        RESOURCES.map((resource) => ({
          scope,
          span,
          resource,
          limit: limits[`${resource}_per_${span}`],
          used: usedOf(resource, used[span]),
        })),
      ),
    );
  }

  #noticeOf(spender: Spender, { scope, span, resource, limit }: OneBudget): Omit<BudgetNotice, 'percent'> {
    const { accountId, agentId } = spender;
    const endsAt = endOf(this.#deps.clock.nowIso(), span);
    return { accountId, agentId, scope, resource, span, limit, endsAt };
  }

  #usedBy(id: string): Record<Span, Uses> {
    this.#turnPeriod();
    const known = this.#used.get(id);
    if (known) return known;
    const used = { hour: NOTHING, day: NOTHING };
    this.#used.set(id, used);
    return used;
  }

  /** A new hour or day begins with nothing used. */
  #turnPeriod(): void {
    const now = periodsAt(this.#deps.clock.nowIso());
    if (now.hour === this.#periods.hour) return;
    if (now.day !== this.#periods.day) this.#used.clear();
    else for (const used of this.#used.values()) used.hour = NOTHING;
    this.#periods = now;
  }
}

interface OneBudget extends Pick<BudgetNotice, 'scope' | 'span' | 'resource' | 'limit'> {
  readonly used: number;
}

function sum(uses: Uses, { turns = 0, tokens = 0, callMs = 0 }: Counted): Uses {
  return { turns: uses.turns + turns, tokens: uses.tokens + tokens, callMs: uses.callMs + callMs };
}
