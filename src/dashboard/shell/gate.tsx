import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { texts } from '../texts.ts';

/** The card before the dashboard. */
export function Gate({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · ${texts.product}`;
  }, [title]);
  return (
    <main class="gate">
      <section class="card">
        <p class="brand">{texts.product}</p>
        <h1>{title}</h1>
        {children}
      </section>
    </main>
  );
}
