import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Action } from './action.tsx';
import { Form } from './form.tsx';

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
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <header class="row spread">
        <h2 id={id}>{title}</h2>
        <Action class="quietly" name="×" label={texts.close} run={() => dialog.current?.close()} />
      </header>
      {children}
    </dialog>
  );
}

interface DialogButtonProps {
  /** What the dialog says, and the button unless that has a name of its own. */
  readonly title: string;
  readonly name?: string;
  readonly class?: string;
  children(close: () => void): ComponentChildren;
}

/** A button that opens a dialog. */
export function DialogButton({ title, name = title, class: look = '', children }: DialogButtonProps) {
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
  readonly action: string;
  readonly question: string;
  run(): Promise<unknown>;
  readonly class?: string;
}

/** A button that asks first. */
export function Confirm({ action, question, run, class: look = 'danger' }: ConfirmProps) {
  return (
    <DialogButton title={action} class={look}>
      {(close) => (
        <Form submit={() => run().then(close)} action={action} isDanger onCancel={close}>
          <p>{question}</p>
        </Form>
      )}
    </DialogButton>
  );
}
