import { signal } from '@preact/signals';
import type { ComponentChildren, TargetedEvent } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../api/request.ts';
import { texts } from '../texts.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
}

const SHOWN_MS = 6_000;
const MOST = 3;

const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

function show(text: string, isBad: boolean): void {
  lastId += 1;
  const id = lastId;
  toasts.value = [...toasts.value, { id, text, isBad }].slice(-MOST);
  setTimeout(() => {
    toasts.value = toasts.value.filter((each) => each.id !== id);
  }, SHOWN_MS);
}

/** Says for a few seconds that something worked. */
export function tell(text: string): void {
  show(text, false);
}

/** Runs what a button does, and says why it failed. Returns whether it worked. */
export async function attempt(action: () => unknown, done?: string): Promise<boolean> {
  try {
    await action();
    if (done !== undefined) tell(done);
    return true;
  } catch (error) {
    const { message, suggestion } = error as ApiError;
    show([message || texts.unknownError, suggestion].filter(Boolean).join(' '), true);
    return false;
  }
}

/** Whether a dialog is open: nothing outside it is read to anybody, or seen well. */
const isModal = signal(false);

/** What was told. It stands in the page, and in the dialog while one is open. */
export function Toasts({ inDialog = false }: { readonly inDialog?: boolean }) {
  if (isModal.value !== inDialog) return null;
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, isBad }) => (
        <p key={id} class={`toast${isBad ? ' bad' : ''}`}>
          {text}
        </p>
      ))}
    </div>
  );
}

interface ActionProps {
  /** What the button says. */
  readonly name: string;
  /** Is told the form in which the button stands. */
  run(form: HTMLFormElement): unknown;
  /** Said when it worked. */
  readonly done?: string;
  readonly class?: string | undefined;
  readonly disabled?: boolean;
  /** Of one that is held down. */
  readonly isPressed?: boolean;
  /** What is read in place of the name. */
  readonly label?: string;
}

/** A button that waits for what it does, and says why that failed. It keeps the focus meanwhile. */
export function Action({ name, run, done, class: look, disabled = false, isPressed, label }: ActionProps) {
  const [isBusy, setBusy] = useState(false);
  const go = async ({ currentTarget: { form } }: TargetedEvent<HTMLButtonElement>): Promise<void> => {
    if (isBusy || disabled) return;
    setBusy(true);
    await attempt(() => run(form!), done);
    setBusy(false);
  };
  return (
    <button
      type="button"
      class={look}
      aria-disabled={isBusy || disabled}
      aria-pressed={isPressed}
      aria-label={label}
      onClick={(event) => void go(event)}
    >
      {name}
    </button>
  );
}

interface DialogProps {
  readonly title: string;
  onClose(): void;
  readonly children: ComponentChildren;
}

/** A window over the page, which keeps the focus; Escape closes it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
    isModal.value = true;
    return () => {
      isModal.value = false;
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <header class="row spread">
        <h2 id={id}>{title}</h2>
        <Action class="quietly" name="×" label={texts.close} run={() => dialog.current?.close()} />
      </header>
      {children}
      <Toasts inDialog />
    </dialog>
  );
}

interface DialogButtonProps {
  /** What the dialog says, and the button unless that has a name of its own. */
  readonly title: string;
  readonly name?: string;
  readonly class?: string | undefined;
  children(close: () => void): ComponentChildren;
}

/** A button that opens a dialog. */
export function DialogButton({ title, name = title, class: look, children }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Action class={look} name={name} run={() => setOpen(true)} />
      {isOpen && (
        <Dialog title={title} onClose={close}>
          {children(close)}
        </Dialog>
      )}
    </>
  );
}

interface ConfirmProps {
  /** What the button says, and what it does once confirmed. */
  readonly action?: string;
  readonly question: string;
  run(): Promise<unknown>;
  readonly class?: string;
}

/** A button that asks first. */
export function Confirm({ action = texts.remove, question, run, class: look = 'quietly' }: ConfirmProps) {
  return (
    <DialogButton title={action} class={look}>
      {(close) => (
        <>
          <p>{question}</p>
          <div class="row">
            <Action class="danger" name={action} run={() => run().then(close)} />
            <Action name={texts.cancel} run={close} />
          </div>
        </>
      )}
    </DialogButton>
  );
}
