import { Counter, Histogram, type Registry } from 'prom-client';

const TURN_BUCKETS_S = [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** The metrics of models behind agents, per provider. Labels are those of OpenTelemetry's conventions where it has some. */
export class ModelMetrics {
  readonly #turnSeconds;
  readonly #tokens;

  constructor(registry: Registry) {
    this.#turnSeconds = new Histogram({
      name: 'svc_model_turn_duration_seconds',
      help: 'Time from the start of a turn of a model until its actions were carried out or it failed',
      labelNames: ['provider', 'error_type'],
      buckets: TURN_BUCKETS_S,
      registers: [registry],
    });
    this.#tokens = new Counter({
      name: 'svc_model_tokens_total',
      help: 'Tokens as the provider counts them',
      labelNames: ['provider', 'token_type'],
      registers: [registry],
    });
  }

  /** `errorType` is empty for a turn that did not fail. */
  turnEnded(provider: string, errorType: string, lastedMs: number): void {
    this.#turnSeconds.observe({ provider, error_type: errorType }, lastedMs / 1000);
  }

  used(provider: string, inputTokens: number | null, outputTokens: number | null): void {
    this.#tokens.inc({ provider, token_type: 'input' }, inputTokens ?? 0);
    this.#tokens.inc({ provider, token_type: 'output' }, outputTokens ?? 0);
  }
}
