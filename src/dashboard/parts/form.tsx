import type { ComponentChildren, TargetedEvent } from 'preact';
import { useId, useState } from 'preact/hooks';
import { ApiError } from '../api/request.ts';
import { texts } from '../texts.ts';
import { Action, tell } from './action.tsx';
import { type Body, bodyOf, type FieldSpec, type Fields, type Values } from './field.ts';
import { ErrorNote } from './layout.tsx';

interface FormProps {
  readonly fields?: Fields;
  /** What is changed. Absent: something new, whose fields are as at first once it was sent. */
  readonly stored?: object | undefined;
  /** What something new holds at first. */
  readonly initial?: object;
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
export function Form({ fields = {}, stored, initial, submit, action, done, onCancel, ...look }: FormProps) {
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const values = { ...initial, ...stored };
  const send = async (event: TargetedEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const form = event.currentTarget;
    setBusy(true);
    try {
      await submit(bodyOf(form, fields, values, stored === undefined), form);
      setError(undefined);
      if (stored === undefined) form.reset();
      else for (const secret of form.querySelectorAll<HTMLInputElement>('[type=password]')) secret.value = '';
      if (done !== undefined) tell(done);
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const advanced = Object.entries(fields).filter(([, { isAdvanced }]) => isAdvanced);
  const usual = Object.entries(fields).filter(([, { isAdvanced }]) => !isAdvanced);
  return (
    <form class={look.inline ? 'inline' : ''} onSubmit={(event) => void send(event)}>
      <div class={look.isGrid ? 'grid' : 'stack'}>
        <Inputs of={Object.fromEntries(usual)} values={values} />
      </div>
      {advanced.length > 0 && (
        <details>
          <summary>{texts.advanced}</summary>
          <Inputs of={Object.fromEntries(advanced)} values={values} />
        </details>
      )}
      {look.children}
      {error && <ErrorNote error={error} />}
      <div class="row">
        <button type="submit" class={look.isDanger ? 'danger' : 'primary'} aria-disabled={isBusy}>
          {isBusy ? texts.busy : action}
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
  /** Is told what was typed or chosen. */
  onValue?(value: string): void;
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

function Control(props: ControlProps) {
  const { type = 'text', options = [], value, onValue, label: _, hint: _hint, ...more } = props;
  const { usual: _usual, isKept: _isKept, isAdvanced: _isAdvanced, ...attributes } = more;
  const held = Array.isArray(value) ? value.join('\n') : `${value ?? ''}`;
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void =>
    onValue?.(currentTarget.value);
  const common = { autocomplete: 'off', ...attributes, onInput } as const;
  if (type === 'area' || type === 'lines') return <textarea {...common} defaultValue={held} />;
  if (type !== 'choice') return <input {...common} type={type} defaultValue={held} />;
  return (
    <select {...common}>
      {options.map(([each, name]) => (
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
        onChange={({ currentTarget }) => onValue?.(currentTarget.checked ? 'true' : '')}
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
