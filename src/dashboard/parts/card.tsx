import type { ComponentChildren } from 'preact';

interface CardProps {
  readonly title: string;
  /** What it is for. */
  readonly hint?: string | undefined;
  /** What can be done with all of it. */
  readonly action?: ComponentChildren;
  readonly class?: string;
  readonly children?: ComponentChildren;
}

/** A part of a page. */
export function Card({ title, hint, action, class: look = '', children }: CardProps) {
  return (
    <section class={`card ${look}`}>
      <div class="row spread">
        <h2>{title}</h2>
        {action}
      </div>
      {hint && <p class="quiet small">{hint}</p>}
      {children}
    </section>
  );
}
