import { useRef } from 'preact/hooks';
import { encode } from 'uqr';
import { texts } from '../texts.ts';
import { Action } from './button.tsx';

interface SourceProps {
  readonly text: string;
  /** What it is, for those who do not see it. */
  readonly label: string;
}

/** Text to be read or copied as it is. It may scroll, so it takes the focus: arrow keys scroll it then. */
export function Source({ text, label }: SourceProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="source" aria-label={label} tabIndex={0}>
      <pre>{text}</pre>
    </section>
  );
}

/** A text to be taken elsewhere. */
export function Copyable(source: SourceProps) {
  const place = useRef<HTMLDivElement>(null);
  const copy = async (): Promise<void> => {
    if (isSecureContext) return await navigator.clipboard.writeText(source.text);
    // Without HTTPS there is no clipboard but that of what is selected.
    getSelection()?.selectAllChildren(place.current!.querySelector('pre')!);
    if (!document.execCommand('copy')) throw new Error(texts.unknownError);
  };
  return (
    <div class="copyable" ref={place}>
      <Source {...source} />
      <Action name={texts.copy} run={copy} done={texts.copied} />
    </div>
  );
}

/** A QR code, black on white in the dark as well: scanners expect it. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { border: 2 });
  const path = data
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('');
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
