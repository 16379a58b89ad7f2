import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { attempt } from './toasts.tsx';

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

interface ConfirmProps {
  /** What the button says, and what it does once confirmed. */
  readonly action: string;
  readonly question: string;
  run(): Promise<unknown>;
  readonly done?: string;
  readonly class?: string;
}

/** A button that asks first. */
export function Confirm({ action, question, run, done, class: look = 'danger' }: ConfirmProps) {
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const go = async (): Promise<void> => {
    setBusy(true);
    await attempt(run, done);
    setBusy(false);
    setAsking(false);
  };
  return (
    <>
      <button type="button" class={look} onClick={() => setAsking(true)}>
        {action}
      </button>
      {isAsking && (
        <Dialog title={action} onClose={() => setAsking(false)}>
          <p>{question}</p>
          <div class="row">
            <button type="button" class="danger" disabled={isBusy} onClick={() => void go()}>
              {isBusy ? texts.busy : action}
            </button>
            <button type="button" onClick={() => setAsking(false)}>
              {texts.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
