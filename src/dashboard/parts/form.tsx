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

interface Labelled {
  readonly label: string;
  readonly hint?: string | undefined;
}

/** A label, what it is for, and an explanation below. */
function Labelled({
  label,
  hint,
  children,
}: Labelled & { children(id: string, hintId?: string): ComponentChildren }) {
  const id = useId();
  const hintId = hint ? `${id}-hint` : undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, hintId)}
      {hint && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface FieldProps
  extends Labelled,
    Omit<InputHTMLAttributes<HTMLInputElement>, 'label' | 'value' | 'onInput'> {
  readonly value: string;
  onValue(value: string): void;
}

export function Field({ label, hint, value, onValue, ...rest }: FieldProps) {
  const onInput = ({ currentTarget }: { currentTarget: HTMLInputElement }): void =>
    onValue(currentTarget.value);
  return (
    <Labelled label={label} hint={hint}>
      {(id, hintId) => <input {...rest} id={id} value={value} aria-describedby={hintId} onInput={onInput} />}
    </Labelled>
  );
}

interface AreaProps extends Labelled {
  readonly value: string;
  readonly rows?: number;
  readonly placeholder?: string;
  readonly maxLength?: number;
  onValue(value: string): void;
}

export function Area({ label, hint, value, onValue, ...rest }: AreaProps) {
  const onInput = ({ currentTarget }: { currentTarget: HTMLTextAreaElement }): void =>
    onValue(currentTarget.value);
  return (
    <Labelled label={label} hint={hint}>
      {(id, hintId) => (
        <textarea {...rest} id={id} value={value} aria-describedby={hintId} onInput={onInput} />
      )}
    </Labelled>
  );
}

interface ChoiceProps extends Labelled {
  readonly value: string;
  readonly options: readonly (readonly [value: string, name: string])[];
  onValue(value: string): void;
}

export function Choice({ label, hint, value, options, onValue }: ChoiceProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(id, hintId) => (
        <select
          id={id}
          aria-describedby={hintId}
          onChange={({ currentTarget }) => onValue(currentTarget.value)}
        >
          {options.map(([each, name]) => (
            <option key={each} value={each} selected={each === value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

interface CheckProps extends Labelled {
  readonly checked: boolean;
  onChecked(checked: boolean): void;
}

export function Check({ label, hint, checked, onChecked }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ currentTarget }) => onChecked(currentTarget.checked)}
      />
      <span>
        {label}
        {hint && <small class="hint">{hint}</small>}
      </span>
    </label>
  );
}
