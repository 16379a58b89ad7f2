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
