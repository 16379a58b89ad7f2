import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import type { AnswerOf, Reading } from '../api/answers.ts';
import type { ApiError, Values } from '../api/request.ts';
import { type Answer, type Freshness, useAnswer } from '../api/use-answer.ts';
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

interface ReadProps<E extends Reading> extends Freshness {
  readonly from: E;
  readonly with?: Values | undefined;
  children(data: AnswerOf<E>): ComponentChildren;
}

/** What an endpoint answers, kept fresh. */
export function Read<E extends Reading>({ from, with: values, children, ...when }: ReadProps<E>) {
  return <Loaded answer={useAnswer(from, values, when)}>{children}</Loaded>;
}

/** What stands in place of an empty list. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
