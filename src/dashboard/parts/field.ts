import type { Values } from '../api/request.ts';

/** A field of a form: what people read, and what they may type. */
export interface FieldSpec {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Of an input; or `check`, or `lines`, of which each is a value. What has `options` is a choice, what has `rows` an area. */
  readonly type?: string;
  /** Names by value. */
  readonly options?: Readonly<Record<string, string>>;
  /** Of a `check` that was never set. */
  readonly usual?: boolean;
  /** Left empty it is not sent, as if it had not been touched; passwords are such. */
  readonly isKept?: boolean;
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

export type Fields = Readonly<Record<string, FieldSpec>>;

/** What is sent of each field. */
export type Body = Readonly<Record<string, string | number | boolean | readonly string[] | null>>;

/** What was filled in, as the gateway takes it. Empty fields are left out of what is new, and else removed. */
export function bodyOf(form: HTMLFormElement, fields: Fields, values: Values, isNew: boolean): Body {
  const body: Record<string, Body[string]> = {};
  for (const [name, { type = '', isKept = type === 'password' }] of Object.entries(fields)) {
    const { value, checked, defaultChecked } = form.elements.namedItem(name) as HTMLInputElement;
    if (type === 'lines') body[name] = value.split('\n').filter((line) => line.trim() !== '');
    else if (type === 'check') {
      // One that was never set stays so until it is touched.
      if (checked !== defaultChecked || values[name] !== undefined) body[name] = checked;
    } else if (value !== '') body[name] = type === 'number' ? Number(value) : value;
    else if (!(isNew || isKept)) body[name] = null;
  }
  return body;
}

/** Fills in a field from elsewhere. */
export function fillIn(form: HTMLFormElement, name: string, value: string): void {
  (form.elements.namedItem(name) as HTMLInputElement).value = value;
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
    const named = Object.fromEntries(values.map((each) => [each, each]));
    return { ...common, options: { '': asDefault(common.placeholder), ...named } };
  }
  if (type === 'number' || type === 'integer')
    return { ...common, type: 'number', step: type === 'integer' ? 1 : 'any', min: minimum, max: maximum };
  return { ...common, type: property.writeOnly ? 'password' : 'text' };
}
