import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { attempt } from './toasts.tsx';

interface ActionProps {
  run(): Promise<unknown>;
  /** Said when it worked. */
  readonly done?: string;
  readonly class?: string;
  readonly disabled?: boolean;
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** A button that waits for what it does, and says why that failed. */
export function Action({ run, done, class: look = '', disabled = false, label, children }: ActionProps) {
  const [isBusy, setBusy] = useState(false);
  const go = async (): Promise<void> => {
    setBusy(true);
    await attempt(run, done);
    setBusy(false);
  };
  return (
    <button
      type="button"
      class={look}
      disabled={disabled || isBusy}
      aria-label={label}
      onClick={() => void go()}
    >
      {children}
    </button>
  );
}
