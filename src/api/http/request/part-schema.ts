import type * as z from 'zod';
import type { RequestPart } from './fault-wording.ts';
import { type FieldPath, knownFields, unknownFields } from './known-fields.ts';
import { MAX_UNKNOWN, type Parsed, parse, unknownFieldFault } from './validation.ts';

/** What was read from one part of a request; with faults, it must be refused. */
export type ReadPart = Parsed & {
  /** The fields that the schema does not know: at most one more than an answer names. */
  readonly ignored: readonly FieldPath[];
};

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

  read(input: unknown): ReadPart {
    const parsed = parse(this.#schema, this.#part, input);
    const unknown = unknownFields(this.#fields, parsed.given, MAX_UNKNOWN + 1);
    if (!this.#refusesUnknown || unknown.length === 0)
      return { ...parsed, ignored: unknown.map(({ path }) => path) };
    const faults = unknown.slice(0, MAX_UNKNOWN).map((field) => unknownFieldFault(this.#part, field));
    return { given: parsed.given, faults: [...faults, ...(parsed.faults ?? [])], ignored: [] };
  }
}
