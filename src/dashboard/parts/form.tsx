import type { ComponentChildren, TargetedEvent } from 'preact';
import { useId, useState } from 'preact/hooks';
import { ApiError, type Values } from '../api/request.ts';
import { texts } from '../texts.ts';
import { Action, tell } from './button.tsx';
import { type Body, bodyOf, type FieldSpec, type Fields } from './field.ts';
import { ErrorNote } from './layout.tsx';

interface FormProps {
  readonly fields?: Fields;
  /** Fields that are shown when they are asked for. */
  readonly advanced?: Fields;
  /** What is changed. Absent: something new, whose fields are as at first once it was sent. */
  readonly stored?: object | undefined;
  /** Sends it. What it throws is shown below the fields. */
  submit(body: Body, form: HTMLFormElement): Promise<unknown>;
  /** What the button says. */
  readonly action: string;
  /** Said when it worked. */
  readonly done?: string;
  /** In one line, for forms of one field. */
  readonly inline?: boolean;
  /** Several fields beside each other. */
  readonly isGrid?: boolean;
  readonly isDanger?: boolean;
  readonly onCancel?: () => void;
  readonly children?: ComponentChildren;
}

/** Fields and the button that sends them, which waits for the answer. The browser keeps what is typed. */
export function Form({ fields = {}, advanced = {}, stored, submit, onCancel, ...more }: FormProps) {
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const values = { ...stored };
  const send = async (event: TargetedEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const form = event.currentTarget;
    setBusy(true);
    try {
      await submit(bodyOf(form, { ...fields, ...advanced }, values, stored === undefined), form);
      setError(undefined);
      if (stored === undefined) form.reset();
      else for (const secret of form.querySelectorAll<HTMLInputElement>('[type=password]')) secret.value = '';
      if (more.done !== undefined) tell(more.done);
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class={more.inline ? 'inline' : ''} onSubmit={(event) => void send(event)}>
      <div class={more.isGrid ? 'grid' : 'stack'}>
        <Inputs of={fields} values={values} />
      </div>
      {Object.keys(advanced).length > 0 && (
        <details>
          <summary>{texts.advanced}</summary>
          <Inputs of={advanced} values={values} />
        </details>
      )}
      {more.children}
      {error && <ErrorNote error={error} />}
      <div class="row">
        <button type="submit" class={more.isDanger ? 'danger' : 'primary'} aria-disabled={isBusy}>
          {isBusy ? texts.busy : more.action}
        </button>
        {onCancel && <Action name={texts.cancel} run={onCancel} />}
      </div>
    </form>
  );
}

export function Inputs({ of, values = {} }: { readonly of: Fields; readonly values?: Values }) {
  return Object.entries(of).map(([name, field]) => (
    <Input key={name} {...field} name={name} value={values[name]} />
  ));
}

interface InputProps extends FieldSpec {
  /** In its form. */
  readonly name?: string;
  /** What it holds at first, and again whenever that changes, unless somebody has typed meanwhile. */
  readonly value?: unknown;
  /** Is told what was typed or chosen, and in which form. */
  onValue?(value: string, form: HTMLFormElement): void;
}

/** A label, a control, and an explanation below. */
export function Input(props: InputProps) {
  const id = useId();
  const { label, hint } = props;
  if (props.type === 'check') return <Check {...props} />;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Control {...props} id={id} aria-describedby={hint && `${id}-hint`} />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

type ControlProps = InputProps & { readonly id: string; readonly 'aria-describedby': string | undefined };

function Control({ type, options, rows, value, onValue, ...more }: ControlProps) {
  const { label: _, hint: _hint, usual: _usual, isKept: _isKept, ...attributes } = more;
  const held = Array.isArray(value) ? value.join('\n') : `${value ?? ''}`;
  const onInput = ({
    currentTarget,
  }: TargetedEvent<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>) =>
    onValue?.(currentTarget.value, currentTarget.form!);
  const common = { autocomplete: 'off', ...attributes, onInput } as const;
  if (rows !== undefined) return <textarea {...common} rows={rows} defaultValue={held} />;
  if (options === undefined) return <input {...common} type={type} defaultValue={held} />;
  return (
    <select {...common}>
      {Object.entries(options).map(([each, name]) => (
        <option key={each} value={each} selected={each === held}>
          {name}
        </option>
      ))}
    </select>
  );
}

function Check({ label, hint, name, value, usual = false, onValue }: InputProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        name={name}
        defaultChecked={typeof value === 'boolean' ? value : usual}
        onChange={({ currentTarget }) => onValue?.(currentTarget.checked ? 'true' : '', currentTarget.form!)}
      />
      <span>
        {label}
        {hint && <small class="hint">{hint}</small>}
      </span>
    </label>
  );
}

interface TextFormProps extends FieldSpec {
  readonly action: string;
  /** Sends the text, which is emptied then. */
  send(text: string): Promise<unknown>;
}

/** A form of one field, in one line. */
export function TextForm({ action, send, ...field }: TextFormProps) {
  const fields = { text: { required: true, ...field } };
  return <Form fields={fields} submit={({ text }) => send(`${text}`)} action={action} inline />;
}
