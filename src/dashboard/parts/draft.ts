import { type Signal, useSignal } from '@preact/signals';

/** What a field of a form shows and sets. Signals are such. */
export interface Held<T> {
  value: T;
}

/** A field of a form: what people read, and what they may type. */
export interface FieldSpec {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Of an input; or `check`, `choice`, `area`, or `lines`, of which each is a value. */
  readonly type?: string;
  /** Of a choice. */
  readonly options?: readonly Option[];
  /** Of a `check` that was never set. */
  readonly usual?: boolean;
  /** Left empty it is not sent, as if it had not been touched; passwords are such. */
  readonly isKept?: boolean;
  /** Shown when it is asked for. */
  readonly isAdvanced?: boolean;
  readonly required?: boolean;
  readonly rows?: number;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly step?: number | 'any';
  readonly minLength?: number;
  readonly maxLength?: number | undefined;
  readonly pattern?: string;
  readonly placeholder?: string | undefined;
  readonly autocomplete?: string;
}

export type Option = readonly [value: string, name: string];
export type Fields = Readonly<Record<string, FieldSpec>>;
type Typed = string | boolean;

/** What is being filled in. '': nothing. */
export type Draft = Signal<Readonly<Record<string, Typed>>>;

/** What is sent of each field. */
export type Body = Readonly<Record<string, string | number | boolean | readonly string[] | null>>;

/** The fields of a form, with what is stored. */
export function useDraft(fields: Fields, stored: object = {}): Draft {
  return useSignal(typedOf(fields, stored));
}

export function typedOf(fields: Fields, stored: object = {}): Readonly<Record<string, Typed>> {
  const known = stored as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.keys(fields).map((name) => [name, typed(known[name])]));
}

function typed(value: unknown): Typed {
  if (typeof value === 'boolean') return value;
  return Array.isArray(value) ? value.join('\n') : `${value ?? ''}`;
}

/** What was filled in, as the gateway takes it. Empty fields are left out of what is new, and else removed. */
export function bodyOf(fields: Fields, draft: Draft, isNew: boolean): Body {
  const body: Record<string, Body[string]> = {};
  for (const [name, { type = '', isKept = type === 'password' }] of Object.entries(fields)) {
    const value = draft.value[name] ?? '';
    if (type === 'lines') body[name] = `${value}`.split('\n').filter((line) => line.trim() !== '');
    else if (value !== '') body[name] = type === 'number' ? Number(value) : value;
    else if (!(isNew || isKept)) body[name] = null;
  }
  return body;
}

/** One of many values that have names. */
export function entryOf<T>(all: Held<Readonly<Record<string, T>>>, name: string, none: T): Held<T> {
  return held(all.value[name] ?? none, (value) => {
    all.value = { ...all.value, [name]: value };
  });
}

/** A value that is stored elsewhere. */
export function held<T>(value: T, set: (value: T) => void): Held<T> {
  return {
    get value() {
      return value;
    },
    set value(next) {
      set(next);
    },
  };
}

/** What a provider's JSON schema says of a setting. */
export interface Property {
  readonly type: string;
  readonly title: string;
  readonly description: string;
  readonly default?: string | number | boolean | readonly string[] | undefined;
  readonly enum?: readonly string[] | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly writeOnly?: boolean | undefined;
}

/** The field for a setting as its schema describes it. `asDefault` names the default among choices. */
export function fieldOf(property: Property, asDefault: (usual: string) => string): FieldSpec {
  const { type, title: label, description: hint, default: usual, enum: values, minimum, maximum } = property;
  const common = { label, hint, placeholder: `${usual ?? ''}` };
  if (type === 'boolean') return { ...common, type: 'check', usual: Boolean(usual) };
  if (type === 'array') return { ...common, type: 'lines', rows: 3 };
  if (values) {
    const options: Option[] = [
      ['', asDefault(common.placeholder)],
      ...values.map((each) => [each, each] as const),
    ];
    return { ...common, type: 'choice', options };
  }
  if (type === 'number' || type === 'integer')
    return { ...common, type: 'number', step: type === 'integer' ? 1 : 'any', min: minimum, max: maximum };
  return { ...common, type: property.writeOnly ? 'password' : 'text' };
}
