import type { RawCall } from './read-arguments.ts';
import { invalidArguments } from './slack-error.ts';

/** How an argument is written: as text in forms; in JSON as it is. */
type Kind = 'text' | 'flag' | 'number' | 'json';

/** A method's arguments; those that need not be there end with a question mark. */
export type Shape = Readonly<Record<string, Kind>>;

/** Arguments as the method reads them. */
export class Arguments {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor({ values, isJson }: RawCall, shape: Shape) {
    this.#values = new Map([...values].map(([name, value]) => [name, read(name, value, isJson, shape)]));
    for (const name of Object.keys(shape))
      if (!name.endsWith('?') && !this.#values.has(name))
        throw invalidArguments(`missing required field: ${name}`);
  }

  /** '' when it is not there. */
  text(name: string): string {
    return (this.#values.get(name) as string | undefined) ?? '';
  }

  flag(name: string): boolean {
    return this.#values.get(name) === true;
  }

  number(name: string): number {
    return (this.#values.get(name) as number | undefined) ?? 0;
  }

  json(name: string): unknown {
    return this.#values.get(name);
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }
}

function read(name: string, value: unknown, isJson: boolean, shape: Shape): unknown {
  const kind = shape[name] ?? shape[`${name}?`];
  if (kind === undefined) throw invalidArguments(`unexpected argument: ${name}`);
  const result = isJson ? value : fromText(kind, value as string);
  const isRight = kind === 'json' || typeof result === TYPES[kind];
  if (!isRight || result === undefined) throw invalidArguments(`must provide a ${kind}: ${name}`);
  return result;
}

const TYPES = { text: 'string', flag: 'boolean', number: 'number' } as const;

function fromText(kind: Kind, text: string): unknown {
  switch (kind) {
    case 'text':
      return text;
    case 'flag':
      return { true: true, '1': true, false: false, '0': false }[text];
    case 'number':
      return /^\d+$/.test(text) ? Number(text) : undefined;
    case 'json':
      try {
        return JSON.parse(text);
      } catch {
        return undefined;
      }
  }
}
