import { texts } from '../texts.ts';
import { attempt } from './toasts.tsx';

/** A text to be taken elsewhere. */
export function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  const copy = (): void => {
    void attempt(() => navigator.clipboard.writeText(text), texts.copied);
  };
  return (
    <div class="copyable">
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <button type="button" onClick={copy}>
        {texts.copy}
      </button>
    </div>
  );
}
