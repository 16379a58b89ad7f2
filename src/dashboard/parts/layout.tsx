import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { AnswerOf, Reading } from '../api/answers.ts';
import type { ApiError } from '../api/request.ts';
import { type Answer, type Reads, useAnswer } from '../api/use-answer.ts';
import { Icon } from '../shell/icons.tsx';
import { texts } from '../texts.ts';
import { useSeen } from './seen.ts';

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
      <h1 class="cut" dir="auto">
        {title}
      </h1>
      <div class="row">{children}</div>
    </header>
  );
}

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

interface FactsProps {
  /** Names and values. False: left out. */
  readonly of: readonly (readonly [name: string, value: ComponentChildren] | false)[];
  /** Large figures beside each other. */
  readonly isLarge?: boolean;
}

export function Facts({ of, isLarge = false }: FactsProps) {
  const known = of.filter((each) => each !== false);
  return (
    <dl class={isLarge ? 'figures' : 'facts'}>
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="digits">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface ErrorNoteProps {
  readonly error: ApiError;
  readonly children?: ComponentChildren;
}

/** Why something failed, in the gateway's words, and what to do about it. */
export function ErrorNote({ error, children }: ErrorNoteProps) {
  return (
    <div class="banner bad" role="alert">
      <p>{error.message}</p>
      {error.suggestion !== null && <p>{error.suggestion}</p>}
      {children}
    </div>
  );
}

interface LoadedProps<T> {
  readonly answer: Answer<T>;
  children(data: T): ComponentChildren;
}

/** What was read, once it was; meanwhile that it is being read, or why it cannot be. */
export function Loaded<T>({ answer: { data, error }, children }: LoadedProps<T>) {
  return (
    <>
      {error && error.status !== 0 && <ErrorNote error={error} />}
      {data === undefined ? !error && <p class="quiet">{texts.loading}</p> : children(data)}
    </>
  );
}

interface ReadProps<E extends Reading> extends Reads {
  readonly from: E;
  children(data: AnswerOf<E>): ComponentChildren;
}

/** What an endpoint answers, kept fresh. */
export function Read<E extends Reading>({ from, children, ...reads }: ReadProps<E>) {
  return <Loaded answer={useAnswer(from, reads)}>{children}</Loaded>;
}

interface FoldProps {
  readonly title: ComponentChildren;
  children(): ComponentChildren;
}

/** What is made when it is opened. */
export function Fold({ title, children }: FoldProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}

/** What stands in place of an empty list. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

interface RowsProps<T> {
  readonly of: readonly T[];
  /** What stands in place of none. */
  readonly none?: string | undefined;
  readonly class?: string | undefined;
  children(item: T): ComponentChildren;
}

/** So many are drawn at first, and with each look at their end: of thousands only those that somebody looks at. */
const DRAWN = 60;

export function Rows<T>({ of, none = texts.none, class: look = '', children }: RowsProps<T>) {
  const [most, setMost] = useState(DRAWN);
  const [end, isEndSeen] = useSeen<HTMLLIElement>();
  useEffect(() => {
    if (isEndSeen && most < of.length) setMost(most + DRAWN);
  }, [isEndSeen, most, of.length]);
  if (of.length === 0) return <Empty>{none}</Empty>;
  return (
    <ul class={`rows ${look}`}>
      {of.slice(0, most).map(children)}
      {most < of.length && <li ref={end} key={most} class="end" aria-hidden="true" />}
    </ul>
  );
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
      <strong class="cut" dir="auto">
        {title}
      </strong>
      {note !== undefined && <span class="quiet small">{note}</span>}
    </>
  );
  return (
    <li>
      <div class="row">
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
