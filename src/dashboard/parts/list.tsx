import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { AnswerOf, Reading } from '../api/answers.ts';
import { ask, type Values } from '../api/request.ts';
import type { Freshness } from '../api/use-answer.ts';
import { texts } from '../texts.ts';
import { Action } from './button.tsx';
import { Empty, Read } from './layout.tsx';
import { useSeen } from './seen.ts';

interface ListProps<E extends Reading, T> extends Freshness {
  readonly from: E;
  readonly with?: Values;
  of(answer: AnswerOf<E>): readonly T[];
  /** The field that tells one from another. */
  readonly by: keyof T;
  /** What asks for the page after the last of so many pages; null: there is none. */
  next?(last: AnswerOf<E>, pages: number): Values | null;
  /** What stands in place of none. */
  readonly none?: string;
  children(item: T): ComponentChildren;
}

/** A list of the gateway: its first page, which is kept fresh, and the others once they are asked for. */
export function List<E extends Reading, T>({ of, by, next, none, children, ...reads }: ListProps<E, T>) {
  const [older, setOlder] = useState<readonly AnswerOf<E>[]>([]);
  return (
    <Read {...reads}>
      {(newest) => {
        const pages = [newest, ...older];
        const newestFirst = pages.toReversed().flatMap(of);
        const byId = new Map(newestFirst.map((item) => [item[by], item]));
        const items = pages.flatMap(of).filter((item) => byId.get(item[by]) === item);
        const following = next?.(pages.at(-1)!, pages.length);
        const more = async (): Promise<void> =>
          setOlder([...older, await ask(reads.from, { ...reads.with, ...following })]);
        return (
          <>
            <Rows of={items} none={none} class="long">
              {(item) => <Fragment key={`${item[by]}`}>{children(item)}</Fragment>}
            </Rows>
            {following && <Action name={texts.more} run={more} />}
          </>
        );
      }}
    </Read>
  );
}

interface RowsProps<T> {
  readonly of: readonly T[];
  /** What stands in place of none. */
  readonly none?: string | undefined;
  readonly class?: string;
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
      {most < of.length && <li ref={end} key={most} aria-hidden="true" />}
    </ul>
  );
}

interface RowProps {
  readonly title: ComponentChildren;
  readonly note?: ComponentChildren;
  /** Where a click on the title leads. */
  readonly href?: string;
  /** It is the one that is shown beside its list. */
  readonly isOpen?: boolean | undefined;
  /** States, and what can be done. */
  readonly children?: ComponentChildren;
  /** What stands below, in the whole width. */
  readonly below?: ComponentChildren;
}

export function Row({ title, note, href, isOpen = false, children, below }: RowProps) {
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
        {href ? (
          <Link href={href} class="grow" aria-current={isOpen ? 'true' : undefined}>
            {name}
          </Link>
        ) : (
          <span class="grow">{name}</span>
        )}
        {children}
      </div>
      {below}
    </li>
  );
}
