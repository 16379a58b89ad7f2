import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import type { Answer } from '../api/use-answer.ts';
import { Empty, Loaded } from './notes.tsx';

interface RowsProps<T> {
  readonly of: readonly T[];
  /** What stands in place of none. */
  readonly none: string;
  readonly class?: string;
  children(item: T): ComponentChildren;
}

export function Rows<T>({ of, none, class: look = '', children }: RowsProps<T>) {
  return of.length === 0 ? <Empty>{none}</Empty> : <ul class={`rows ${look}`}>{of.map(children)}</ul>;
}

interface LoadedRowsProps<A, T> extends Omit<RowsProps<T>, 'of'> {
  readonly answer: Answer<A>;
  of(data: A): readonly T[];
}

/** The list in an answer, once it is there. */
export function LoadedRows<A, T>({ answer, of, ...rows }: LoadedRowsProps<A, T>) {
  return <Loaded answer={answer}>{(data) => <Rows of={of(data)} {...rows} />}</Loaded>;
}

interface RowProps {
  readonly title: ComponentChildren;
  readonly note?: ComponentChildren;
  /** Where a click on the title leads. */
  readonly href?: string;
  /** States, and what can be done. */
  readonly children?: ComponentChildren;
  /** What stands below, in the whole width. */
  readonly below?: ComponentChildren;
}

export function Row({ title, note, href, children, below }: RowProps) {
  const name = (
    <>
      <strong class="cut">{title}</strong>
      {note !== undefined && <span class="quiet small">{note}</span>}
    </>
  );
  return (
    <li>
      <div class="row-card">
        {href === undefined ? (
          <span class="grow">{name}</span>
        ) : (
          <Link href={href} class="grow">
            {name}
          </Link>
        )}
        {children}
      </div>
      {below}
    </li>
  );
}
