import { texts } from '../texts.ts';
import { Source } from './source.tsx';
import { attempt } from './toasts.tsx';

/** A text to be taken elsewhere. */
export function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  const copy = (): void => {
    void attempt(() => navigator.clipboard.writeText(text), texts.copied);
  };
  return (
    <div class="copyable">
      <Source text={text} label={label} />
      <button type="button" onClick={copy}>
        {texts.copy}
      </button>
    </div>
  );
}
