import * as z from 'zod';
import { unreachable } from '../../base/assert.ts';
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
  switch (field.type) {
    case 'text':
      return field.choices ? z.enum(field.choices) : textOf(field.maxLength ?? MAX_TEXT);
    case 'number':
      return z.number().min(field.minimum).max(field.maximum);
    case 'integer':
      return z.int().min(field.minimum).max(field.maximum);
    case 'flag':
      return z.boolean();
    case 'list':
      return z.array(textOf(field.maxLength)).max(field.maxItems);
    default:
      return unreachable(field);
  }
}

function textOf(maxLength: number) {
  return z.string().trim().min(1).max(maxLength).regex(PRINTABLE, 'Input should have no control characters');
}
