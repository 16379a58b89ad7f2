import { useSignal } from '@preact/signals';
import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId, useState } from 'preact/hooks';
import { ApiError } from '../api/request.ts';
import { texts } from '../texts.ts';
import type { Held } from './draft.ts';
import { ErrorNote } from './layout.tsx';

interface FormProps {
  /** Sends it. What it throws is shown below the fields. */
  submit(): Promise<unknown>;
  /** What the button says. */
  readonly action: string;
  /** In one line, for forms of one field. */
  readonly inline?: boolean;
  readonly isDanger?: boolean;
  readonly onCancel?: () => void;
  readonly children?: ComponentChildren;
}

/** Fields and the button that sends them, which waits for the answer. */
export function Form({ submit, action, inline = false, isDanger = false, onCancel, children }: FormProps) {
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await submit();
      setError(undefined);
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class={inline ? 'inline' : ''} onSubmit={(event) => void send(event)}>
      {children}
      {error && <ErrorNote error={error} />}
      <div class="row">
        <button type="submit" class={isDanger ? 'danger' : 'primary'} disabled={isBusy}>
          {isBusy ? texts.busy : action}
        </button>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            {texts.cancel}
          </button>
        )}
      </div>
    </form>
  );
}

interface Labelled {
  readonly label: string;
  readonly hint?: string | undefined;
}

/** A label, a control, and an explanation below. */
function Labelled({ label, hint, children }: Labelled & { children(ids: Ids): ComponentChildren }) {
  const id = useId();
  const hintId = hint ? `${id}-hint` : undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': hintId })}
      {hint && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface Ids {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
}

/** What a control shows and sets. */
function bound(of: Held<string>) {
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void => {
    of.value = currentTarget.value;
  };
  return { value: of.value, onInput };
}

interface FieldProps
  extends Labelled,
    Omit<InputHTMLAttributes<HTMLInputElement>, 'label' | 'value' | 'onInput'> {
  readonly of: Held<string>;
}

export function Field({ label, hint, of, ...rest }: FieldProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(ids) => <input {...rest} {...ids} {...bound(of)} />}
    </Labelled>
  );
}

interface AreaProps extends Labelled {
  readonly of: Held<string>;
  readonly rows?: number;
  readonly placeholder?: string;
  readonly maxLength?: number;
}

export function Area({ label, hint, of, ...rest }: AreaProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(ids) => <textarea {...rest} {...ids} {...bound(of)} />}
    </Labelled>
  );
}

interface ChoiceProps extends Labelled {
  readonly of: Held<string>;
  readonly options: readonly (readonly [value: string, name: string])[];
}

export function Choice({ label, hint, of, options }: ChoiceProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(ids) => (
        <select {...ids} {...bound(of)}>
          {options.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

export function Check({ label, hint, of }: Labelled & { readonly of: Held<boolean> }) {
  const onChange = ({ currentTarget }: { currentTarget: HTMLInputElement }): void => {
    of.value = currentTarget.checked;
  };
  return (
    <label class="check">
      <input type="checkbox" checked={of.value} onChange={onChange} />
      <span>
        {label}
        {hint && <small class="hint">{hint}</small>}
      </span>
    </label>
  );
}

interface TextFormProps extends Labelled, Omit<InputHTMLAttributes<HTMLInputElement>, 'label' | 'action'> {
  readonly action: string;
  /** Sends the text, which is emptied then. */
  send(text: string): Promise<unknown>;
}

/** A form of one line. */
export function TextForm({ action, send, ...field }: TextFormProps) {
  const text = useSignal('');
  const submit = async (): Promise<void> => {
    await send(text.value);
    text.value = '';
  };
  return (
    <Form submit={submit} action={action} inline>
      <Field {...field} of={text} required autocomplete="off" />
    </Form>
  );
}

interface PasswordFieldProps {
  readonly label: string;
  readonly of: Held<string>;
  /** One that is chosen now, and not the one to be proven. */
  readonly isNew?: boolean;
  /** Accounts may have none. */
  readonly required?: boolean;
}

export function PasswordField({ isNew = false, required = true, ...rest }: PasswordFieldProps) {
  const rules = isNew ? { minLength: 8, hint: texts.signIn.passwordHint } : {};
  const autocomplete = isNew ? 'new-password' : 'current-password';
  return (
    <Field
      {...rest}
      {...rules}
      type="password"
      required={required}
      maxLength={128}
      autocomplete={autocomplete}
    />
  );
}
