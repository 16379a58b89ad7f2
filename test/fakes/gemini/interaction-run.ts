import { piecesOf, type ReplyPart } from '../model-vendor/scripted-reply.ts';

/** How an interaction ends, apart from `completed`. */
export interface Ending {
  readonly status: string;
  readonly errors?: readonly { readonly code: string; readonly message: string }[];
}

export interface Usage {
  readonly total_input_tokens: number;
  readonly total_output_tokens: number;
  readonly total_thought_tokens: number;
}

/** An error that ends the stream. */
interface StreamError {
  readonly code: string;
  readonly message: string;
}

const BLOCKED: StreamError = {
  code: 'prohibited_content',
  message: 'The response was blocked because of prohibited content.',
};

/** Writes one interaction from the parts of its reply: events for a stream, and what is stored afterwards. */
export class InteractionRun {
  readonly steps: object[] = [];
  status = 'in_progress';
  error: StreamError | null = null;
  output = '';
  #thoughts = '';

  /** Yields the events of the steps. Afterwards, either `error` or `status` says how it ended. */
  async *events(parts: AsyncIterable<ReplyPart>): AsyncGenerator<object, void> {
    this.status = 'completed';
    for await (const part of parts) {
      switch (part.kind) {
        case 'text':
        case 'commentary':
          yield* this.#textStep(part.text);
          break;
        case 'reasoning':
          yield* this.#thoughtStep(part.text);
          break;
        case 'tool':
          yield* this.#toolSteps(part.name, part.output);
          break;
        case 'length':
          this.status = 'incomplete';
          return;
        case 'filtered':
          this.error = BLOCKED;
          return;
        case 'failure':
          this.error = { code: part.code, message: part.message };
          return;
        // Gemini waits for nobody's approval, and a model that declines does so in its text.
        case 'approval':
        case 'refusal':
          break;
      }
    }
  }

  usage(input: string): Usage {
    return {
      total_input_tokens: tokensOf(input),
      total_output_tokens: tokensOf(this.output),
      total_thought_tokens: tokensOf(this.#thoughts),
    };
  }

  *#textStep(text: string): Generator<object, void> {
    const step = { type: 'model_output', content: [{ type: 'text', text }] };
    this.output += text;
    yield this.#start({ type: 'model_output' }, step);
    for (const piece of piecesOf(text)) yield this.#delta({ type: 'text', text: piece });
    yield this.#stop();
  }

  *#thoughtStep(text: string): Generator<object, void> {
    this.#thoughts += text;
    const summary = { type: 'text', text };
    yield this.#start(
      { type: 'thought' },
      { type: 'thought', signature: 'c2lnbmF0dXJl', summary: [summary] },
    );
    yield this.#delta({ type: 'thought_summary', content: summary });
    yield this.#delta({ type: 'thought_signature', signature: 'c2lnbmF0dXJl' });
    yield this.#stop();
  }

  *#toolSteps(name: string, output: string): Generator<object, void> {
    const id = `call_${this.steps.length}`;
    const call = { type: 'mcp_server_tool_call', id, name, server_name: 'gateway', arguments: {} };
    yield this.#start(call, call);
    yield this.#stop();
    const result = { type: 'mcp_server_tool_result', call_id: id, name, server_name: 'gateway' };
    yield this.#start({ ...result, result: '' }, { ...result, result: output });
    yield this.#delta({ type: 'mcp_server_tool_result', name, server_name: 'gateway', result: output });
    yield this.#stop();
  }

  #start(first: object, whole: object): object {
    this.steps.push(whole);
    return { event_type: 'step.start', index: this.#index, step: first };
  }

  #delta(delta: object): object {
    return { event_type: 'step.delta', index: this.#index, delta };
  }

  #stop(): object {
    return { event_type: 'step.stop', index: this.#index };
  }

  get #index(): number {
    return this.steps.length - 1;
  }
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}
