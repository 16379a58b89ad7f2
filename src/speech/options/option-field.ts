/** What all options have. `name` is unique among the options of a provider and kind. */
interface Option {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

export interface TextOption extends Option {
  readonly type: 'text';
  readonly default?: string;
  /** The only values that are valid. */
  readonly choices?: readonly string[];
  /** Known values, best first; others are valid too. */
  readonly examples?: readonly string[];
  /** In characters; `MAX_TEXT` by default. */
  readonly maxLength?: number;
}

export interface NumberOption extends Option {
  readonly type: 'number' | 'integer';
  /** Without one, the provider has its own. */
  readonly default?: number;
  readonly minimum: number;
  readonly maximum: number;
}

export interface FlagOption extends Option {
  readonly type: 'flag';
  readonly default?: boolean;
}

/** A list of short texts, none by default. */
export interface ListOption extends Option {
  readonly type: 'list';
  readonly maxItems: number;
  /** Of each text, in characters. */
  readonly maxLength: number;
}

/** One option of a preset. Forms, validation and defaults are all derived from it. */
export type OptionField = TextOption | NumberOption | FlagOption | ListOption;

/** Longest text of an option that declares no limit. */
export const MAX_TEXT = 200;
