import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId, useState } from 'preact/hooks';
import { ApiError } from '../api/request.ts';
import { texts } from '../texts.ts';
import { ErrorNote } from './notes.tsx';

interface FormProps {
  /** Sends it. What it throws is shown below the fields. */
  submit(): Promise<void>;
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

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'label' | 'value' | 'onInput'> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value: string;
  onValue(value: string): void;
}

export function Field({ label, hint, value, onValue, ...rest }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...rest}
        id={id}
        value={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface AreaProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value: string;
  readonly rows?: number;
  readonly placeholder?: string;
  readonly maxLength?: number;
  onValue(value: string): void;
}

export function Area({ label, hint, value, onValue, rows = 4, ...rest }: AreaProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        {...rest}
        id={id}
        rows={rows}
        value={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value: string;
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly disabled?: boolean;
  onValue(value: string): void;
}

export function Choice({ label, hint, value, options, disabled = false, onValue }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      >
        {options.map(([each, name]) => (
          <option key={each} value={each} selected={each === value}>
            {name}
          </option>
        ))}
      </select>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface CheckProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly checked: boolean;
  readonly disabled?: boolean;
  onChecked(checked: boolean): void;
}

export function Check({ label, hint, checked, disabled = false, onChecked }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => onChecked(currentTarget.checked)}
      />
      <span>
        {label}
        {hint && <small>{hint}</small>}
      </span>
    </label>
  );
}
