import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
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

export function Toasts() {
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
  run(): unknown;
  /** Said when it worked. */
  readonly done?: string;
  readonly class?: string;
  readonly disabled?: boolean;
  /** Of one that is held down. */
  readonly isPressed?: boolean;
  /** What is read in place of the name. */
  readonly label?: string;
}

/** A button that waits for what it does, and says why that failed. It keeps the focus meanwhile. */
export function Action({
  name,
  run,
  done,
  class: look = '',
  disabled = false,
  isPressed,
  label,
}: ActionProps) {
  const [isBusy, setBusy] = useState(false);
  const go = async (): Promise<void> => {
    if (isBusy || disabled) return;
    setBusy(true);
    await attempt(run, done);
    setBusy(false);
  };
  return (
    <button
      type="button"
      class={look}
      aria-disabled={isBusy || disabled}
      aria-pressed={isPressed}
      aria-label={label}
      onClick={() => void go()}
    >
      {name}
    </button>
  );
}
