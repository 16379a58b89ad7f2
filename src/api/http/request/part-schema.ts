import type * as z from 'zod';
import type { RequestPart } from './fault-wording.ts';
import { type FieldPath, knownFields, unknownFields } from './known-fields.ts';
import { MAX_UNKNOWN, unknownFieldFault } from './unknown-field.ts';
import { parse, ValidationError } from './validation.ts';

/** What was read from one part of a request. */
export interface ReadPart {
  readonly value: unknown;
  /** The fields that the schema does not know: at most one more than an answer names. */
  readonly ignored: readonly FieldPath[];
}

/** The schema of one part of requests, and what becomes of fields that it does not know. */
export class PartSchema {
  readonly #schema: z.ZodType;
  readonly #part: RequestPart;
  readonly #refusesUnknown: boolean;
  readonly #fields: ReturnType<typeof knownFields>;

  constructor(schema: z.ZodType, part: RequestPart, refusesUnknown: boolean) {
    this.#schema = schema;
    this.#part = part;
    this.#refusesUnknown = refusesUnknown;
    this.#fields = knownFields(schema);
  }

  /** Throws a ValidationError that lists all faults. */
  read(input: unknown): ReadPart {
    const parsed = parse(this.#schema, this.#part, input);
    if (this.#refusesUnknown) {
      const unknown = unknownFields(this.#fields, parsed.given, MAX_UNKNOWN);
      const faults = unknown.map((field) => unknownFieldFault(this.#part, field));
      if (faults.length > 0) throw new ValidationError([...faults, ...(parsed.faults ?? [])]);
    }
    if (parsed.faults !== null) throw new ValidationError(parsed.faults);
    const ignored = unknownFields(this.#fields, parsed.given, MAX_UNKNOWN + 1);
    return { value: parsed.value, ignored: ignored.map(({ path }) => path) };
  }
}
