import type { FlagOption, ListOption, TextOption } from './option-field.ts';

/** What happens when somebody speaks over an utterance. Every text-to-speech preset has it. */
export const INTERRUPTION: TextOption = {
  name: 'interruption',
  title: 'Interruption',
  type: 'text',
  description: '`auto`: an utterance stops when somebody speaks over it; `off`: it is spoken to its end',
  choices: ['auto', 'off'],
  default: 'auto',
};

export function model(
  examples: readonly [string, ...string[]],
  preset: string,
  description = '',
): TextOption {
  return {
    name: 'model',
    title: 'Model',
    type: 'text',
    description,
    examples,
    default: preset,
    maxLength: 100,
  };
}

export function language(description: string, preset?: string): TextOption {
  const field = { name: 'language', title: 'Language', type: 'text', description, maxLength: 35 } as const;
  return preset === undefined ? field : { ...field, default: preset };
}

export function flag(name: string, title: string, description: string, preset: boolean): FlagOption {
  return { name, title, type: 'flag', description, default: preset };
}

/** Words that recognition should expect. */
export function keyterms(maxItems: number, maxLength: number): ListOption {
  const description = 'Names and words that recognition should expect';
  return { name: 'keyterms', title: 'Key terms', type: 'list', description, maxItems, maxLength };
}
