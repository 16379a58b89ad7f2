import type { FlagOption, ListOption, NumberOption, OptionField, TextOption } from './option-field.ts';

type Traits = Omit<TextOption, 'name' | 'title' | 'description' | 'type'>;
/** Least, most and default. Without one, the provider has its own. */
type Range = readonly [number, number, number?];
/** Texts, and characters of each. */
type Most = readonly [number, number];

const INTERRUPTION: TextOption = text(
  'interruption',
  'Interruption',
  '`auto`: an utterance stops when somebody speaks over it; `pause`: it pauses, stops if they speak for more than 0.7 s or say anything but "mm-hm", "yes" or the like, and otherwise goes on; `off`: it is spoken to its end',
  { choices: ['auto', 'pause', 'off'], default: 'auto' },
);

const INTERRUPTION_MS: NumberOption = integer(
  'interruption_ms',
  'Shortest interruption',
  'Who speaks over an utterance for less, in ms, does not want the turn. By default 220 with `auto`, 700 with `pause`',
  [100, 3_000],
);

const BACKCHANNEL_WORDS: ListOption = list(
  'backchannels',
  'Words of listeners',
  'With `pause`, who says nothing but these over an utterance does not want the turn, such as "mm-hm" or "I see". They replace those of English, German, French and Spanish that are known',
  [100, 40],
);

/** What happens when somebody speaks over an utterance. Every text-to-speech preset has them. */
export const INTERRUPTIONS: readonly OptionField[] = [INTERRUPTION, INTERRUPTION_MS, BACKCHANNEL_WORDS];

const NOISE_SUPPRESSION: FlagOption = flag(
  'noise_suppression',
  'Noise suppression',
  'Takes the noise from a voice before it is recognized. It costs a tenth of a core for each voice: of two at a time, others are recognized as they are',
  false,
);

/** What a voice goes through before it is recognized. Every speech-to-text preset has them. */
export const HEARING: readonly OptionField[] = [NOISE_SUPPRESSION];

export function text(name: string, title: string, description: string, traits: Traits): TextOption {
  return { name, title, type: 'text', description, ...traits };
}

export function number(name: string, title: string, description: string, range: Range): NumberOption {
  return { name, title, type: 'number', description, ...bounds(range) };
}

export function integer(name: string, title: string, description: string, range: Range): NumberOption {
  return { name, title, type: 'integer', description, ...bounds(range) };
}

export function flag(name: string, title: string, description: string, preset: boolean): FlagOption {
  return { name, title, type: 'flag', description, default: preset };
}

export function list(
  name: string,
  title: string,
  description: string,
  [maxItems, maxLength]: Most,
): ListOption {
  return { name, title, type: 'list', description, maxItems, maxLength };
}

export function model(examples: readonly string[], preset: string, description = ''): TextOption {
  return text('model', 'Model', description, { examples, default: preset, maxLength: 100 });
}

export function voice(description: string, preset: string, examples?: readonly string[]): TextOption {
  return text('voice', 'Voice', description, {
    default: preset,
    ...(examples && { examples }),
    maxLength: 100,
  });
}

export function language(description: string, preset?: string): TextOption {
  return text('language', 'Language', description, {
    ...(preset !== undefined && { default: preset }),
    maxLength: 35,
  });
}

/** Words that recognition should expect. */
export function keyterms(...most: Most): ListOption {
  return list('keyterms', 'Key terms', 'Names and words that recognition should expect', most);
}

function bounds([minimum, maximum, preset]: Range) {
  return { ...(preset !== undefined && { default: preset }), minimum, maximum };
}
