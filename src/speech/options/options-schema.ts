import * as z from 'zod';
import { match } from '../../base/match.ts';
import type { OptionValue, PresetOptions } from '../../store/speech/speech-tables.ts';
import { MAX_TEXT, type OptionField } from './option-field.ts';

/** Options to set. Null removes one, so that its default applies; what is left out stays. */
export type OptionsChange = Readonly<Record<string, OptionValue | null>>;

/** Characters that no option has: they would change the meaning of a URL, a header or a line. */
const PRINTABLE = /^[^\p{Cc}]*$/u;

/** Returns the schema of changes to a preset's options. */
export function optionsSchema(fields: readonly OptionField[]): z.ZodType<OptionsChange> {
  const shape = Object.fromEntries(
    fields.map((field) => [field.name, schemaOf(field).nullable().optional()]),
  );
  return z.strictObject(shape) as unknown as z.ZodType<OptionsChange>;
}

/** Applies a change, and returns only what is set. */
export function mergeOptions(stored: PresetOptions, change: OptionsChange): PresetOptions {
  const merged = Object.entries({ ...stored, ...change });
  return Object.fromEntries(
    merged.filter((entry): entry is [string, OptionValue] => entry[1] !== null && entry[1] !== undefined),
  );
}

/** Returns the options as they apply: what is set, and the defaults of everything else. */
export function effectiveOptions(fields: readonly OptionField[], stored: PresetOptions): PresetOptions {
  const all = fields.flatMap((field): [string, OptionValue][] => {
    const value = stored[field.name] ?? defaultOf(field);
    return value === undefined ? [] : [[field.name, value]];
  });
  return Object.fromEntries(all);
}

function defaultOf(field: OptionField): OptionValue | undefined {
  return field.type === 'list' ? undefined : field.default;
}

function schemaOf(field: OptionField): z.ZodType<OptionValue> {
  return match(field, 'type', {
    text: (field) => (field.choices ? z.enum(field.choices) : textOf(field.maxLength ?? MAX_TEXT)),
    number: (field) => z.number().min(field.minimum).max(field.maximum),
    integer: (field) => z.int().min(field.minimum).max(field.maximum),
    flag: () => z.boolean(),
    list: (field) => z.array(textOf(field.maxLength)).max(field.maxItems),
  });
}

function textOf(maxLength: number) {
  return z.string().trim().min(1).max(maxLength).regex(PRINTABLE, 'Input should have no control characters');
}
