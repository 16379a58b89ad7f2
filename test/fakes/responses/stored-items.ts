import type { ModelTurnSeen } from '../model-vendor/scripted-reply.ts';
import type { InputMessage } from './response-request.ts';

/** An item of a conversation or of a response's output, as it is on the wire. */
export interface StoredItem {
  readonly id: string;
  readonly type: string;
  readonly role?: string;
  readonly phase?: string | null;
  readonly content?: readonly { readonly type: string; readonly text?: string; readonly refusal?: string }[];
  readonly [field: string]: unknown;
}

let lastNumber = 0;

/** A new id with this prefix, such as `msg_…`. Ids of one process sort by age. */
export function newId(prefix: string): string {
  lastNumber += 1;
  return `${prefix}_${String(lastNumber).padStart(24, '0')}`;
}

/** Unix time, s. */
export function nowS(): number {
  return Math.floor(Date.now() / 1_000);
}

export function storedMessage({ role, content, phase }: InputMessage): StoredItem {
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  const parts = typeof content === 'string' ? [{ type, text: content }] : content;
  const item = { id: newId('msg'), type: 'message', role, status: 'completed', content: parts };
  return phase === undefined ? item : { ...item, phase };
}

type Told = Pick<ModelTurnSeen, 'instructions' | 'history' | 'text'>;

/** What a model is told by the items of its context, the oldest first. */
export function toldBy(items: readonly StoredItem[], instructions: string): Told {
  const told = [instructions];
  const history: { role: 'user' | 'assistant'; text: string }[] = [];
  for (const { type, role, phase, content = [] } of items) {
    if (type !== 'message' || phase === 'commentary') continue;
    const text = content.map((part) => part.text ?? part.refusal ?? '').join('');
    if (role === 'user' || role === 'assistant') history.push({ role, text });
    else told.push(text);
  }
  const answered = history.findLastIndex(({ role }) => role === 'assistant') + 1;
  const open = history.splice(answered);
  return {
    instructions: told.filter((text) => text !== '').join('\n'),
    history,
    text: open.map(({ text }) => text).join('\n'),
  };
}
