import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { ApiError } from '../api/request.ts';
import { texts } from '../texts.ts';
import { tell } from './action.tsx';
import {
  type Body,
  bodyOf,
  type Draft,
  entryOf,
  type FieldSpec,
  type Fields,
  type Held,
  typedOf,
  useDraft,
} from './draft.ts';
import { ErrorNote } from './layout.tsx';

interface FormProps {
  readonly fields?: Fields;
  /** What is changed. Absent: something new, whose fields are emptied once it was sent. */
  readonly stored?: object | undefined;
  /** Kept by a page that looks at what is typed. */
  readonly draft?: Draft;
  /** Sends it. What it throws is shown below the fields. */
  submit(body: Body): Promise<unknown>;
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

/** Fields and the button that sends them, which waits for the answer. */
export function Form({ fields = {}, stored, submit, action, done, onCancel, children, ...look }: FormProps) {
  const own = useDraft(fields, stored);
  const draft = look.draft ?? own;
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await submit(bodyOf(fields, draft, stored === undefined));
      setError(undefined);
      const secrets = Object.entries(fields).filter(([, { type }]) => type === 'password');
      const emptied = typedOf(stored ? Object.fromEntries(secrets) : fields);
      draft.value = { ...draft.value, ...emptied };
      if (done !== undefined) tell(done);
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class={look.inline ? 'inline' : ''} onSubmit={(event) => void send(event)}>
      <div class={look.isGrid ? 'grid' : 'stack'}>
        <Inputs of={fields} draft={draft} />
      </div>
      <Advanced of={fields} draft={draft} />
      {children}
      {error && <ErrorNote error={error} />}
      <div class="row">
        <button type="submit" class={look.isDanger ? 'danger' : 'primary'} disabled={isBusy}>
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

interface InputsProps {
  readonly of: Fields;
  readonly draft: Draft;
  readonly areAdvanced?: boolean;
}

export function Inputs({ of, draft, areAdvanced = false }: InputsProps) {
  const shown = Object.entries(of).filter(([, { isAdvanced = false }]) => isAdvanced === areAdvanced);
  return (
    <>
      {shown.map(([name, { isAdvanced: _, ...field }]) => (
        <Input key={name} {...field} of={entryOf(draft, name, '')} />
      ))}
    </>
  );
}

function Advanced({ of, draft }: InputsProps) {
  if (!Object.values(of).some(({ isAdvanced }) => isAdvanced)) return null;
  return (
    <details>
      <summary>{texts.advanced}</summary>
      <Inputs of={of} draft={draft} areAdvanced />
    </details>
  );
}

/** A label, a control, and an explanation below. */
export function Input({ label, hint, of, ...control }: FieldSpec & { readonly of: Held<string | boolean> }) {
  const id = useId();
  const hintId = hint && `${id}-hint`;
  if (control.type === 'check') return <Check label={label} hint={hint} of={of} usual={control.usual} />;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Control {...control} of={of} id={id} aria-describedby={hintId} />
      {hint && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

type ControlProps = Omit<FieldSpec, 'label' | 'hint'> & {
  readonly of: Held<string | boolean>;
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
};

function Control({ of, type = 'text', options = [], usual: _, isKept: _kept, ...attributes }: ControlProps) {
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void => {
    of.value = currentTarget.value;
  };
  const bound = { autocomplete: 'off', ...attributes, value: `${of.value}`, onInput } as const;
  if (type === 'area' || type === 'lines') return <textarea {...bound} />;
  if (type !== 'choice') return <input {...bound} type={type} />;
  return (
    <select {...bound}>
      {options.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  );
}

interface CheckProps extends Pick<FieldSpec, 'label' | 'hint'> {
  readonly of: Held<string | boolean>;
  readonly usual: boolean | undefined;
}

function Check({ label, hint, of, usual = false }: CheckProps) {
  const onChange = ({ currentTarget }: { currentTarget: HTMLInputElement }): void => {
    of.value = currentTarget.checked;
  };
  return (
    <label class="check">
      <input type="checkbox" checked={of.value === '' ? usual : Boolean(of.value)} onChange={onChange} />
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
