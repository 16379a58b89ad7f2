/** An event of a response's stream. */
export interface ReplyEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The events of one response with one message. */
export class LeanReply {
  readonly #id: string;
  readonly #item: Readonly<Record<string, unknown>>;

  constructor(id: string) {
    this.#id = id;
    this.#item = { id: `msg_${id}`, type: 'message', role: 'assistant', phase: 'final_answer' };
  }

  begin(text: string): ReplyEvent[] {
    const at = { item_id: this.#item.id, output_index: 0, content_index: 0 };
    return [
      { type: 'response.created', response: { id: this.#id, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: this.#item },
      { type: 'response.output_text.delta', ...at, delta: text },
    ];
  }

  end(text: string): ReplyEvent[] {
    const content = [{ type: 'output_text', text, annotations: [] }];
    const item = { ...this.#item, status: 'completed', content };
    const usage = { input_tokens: 100, output_tokens: 5, total_tokens: 105 };
    const response = { id: this.#id, status: 'completed', output: [item], usage };
    return [
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ];
  }
}
