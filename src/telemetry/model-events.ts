import { isDiskFull } from '../base/errors.ts';
import type { Loggers } from './loggers.ts';
import type { Metrics } from './metrics.ts';

/** Facts reported with every turn of a model. */
export interface TurnFacts {
  readonly accountId: string;
  readonly agentId: string;
  readonly provider: string;
  readonly eventType: string;
}

/** Reports what operators should know of the models behind agents, as log lines and metrics. */
export class ModelEvents {
  readonly #loggers: Loggers;
  readonly #metrics: Metrics;

  constructor(loggers: Loggers, metrics: Metrics) {
    this.#loggers = loggers;
    this.#metrics = metrics;
  }

  turnAnswered(
    { provider }: TurnFacts,
    used: { inputTokens: number | null; outputTokens: number | null },
  ): void {
    this.#metrics.tokensUsed(provider, used.inputTokens, used.outputTokens);
  }

  turnEnded({ provider }: TurnFacts, lastedMs: number): void {
    this.#metrics.turnEnded(provider, '', lastedMs);
  }

  /** `words` are the provider's or ours, without secrets. */
  turnFailed(turn: TurnFacts, fault: { errorType: string; error: string }, lastedMs: number): void {
    this.#metrics.turnEnded(turn.provider, fault.errorType, lastedMs);
    this.#loggers.models.warn(
      { ...turn, kind: fault.errorType, words: fault.error },
      'a turn of a model failed',
    );
  }

  /** The policy of its agent does not have what a model asked for. */
  actionRefused(action: string): void {
    this.#metrics.modelRefused(action);
  }

  /** A model and a machine have answered each other. */
  loopStopped(where: Pick<TurnFacts, 'accountId' | 'agentId'> & { readonly conversationId: string }): void {
    this.#metrics.loopStopped();
    this.#loggers.models.warn(where, 'a model and a machine have answered each other, and the model stopped');
  }

  /** Something was refused or skipped because too much of it is waiting. */
  queueFull(queue: string): void {
    this.#metrics.queueFull(queue);
  }

  /** An unexpected error, which is a bug. */
  workFailed(what: string, error: unknown): void {
    if (isDiskFull(error)) return;
    this.#loggers.models.error({ err: error, what }, 'unexpected error in the work for a model');
  }
}
