import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
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
        <button
          type="button"
          class="quietly"
          aria-label={texts.close}
          onClick={() => dialog.current?.close()}
        >
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface DialogButtonProps {
  /** What the button and the dialog say. */
  readonly title: string;
  readonly class?: string;
  children(close: () => void): ComponentChildren;
}

/** A button that opens a dialog. */
export function DialogButton({ title, class: look = '', children }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <button type="button" class={look} onClick={() => setOpen(true)}>
        {title}
      </button>
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
