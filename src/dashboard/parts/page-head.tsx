import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { Icon } from '../shell/icons.tsx';
import { texts } from '../texts.ts';

interface PageHeadProps {
  readonly title: ComponentChildren;
  /** The page above. */
  readonly back?: string;
  /** What can be done with the whole page. */
  readonly children?: ComponentChildren;
}

export function PageHead({ title, back, children }: PageHeadProps) {
  return (
    <header class="page-head">
      {back !== undefined && (
        <Link href={back} class="back" aria-label={texts.back}>
          <Icon name="back" />
        </Link>
      )}
      <h1>{title}</h1>
      <div class="row">{children}</div>
    </header>
  );
}
